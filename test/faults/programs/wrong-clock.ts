/*
 * Loaded into a process before anything else: its clock is off by `CLOCK_OFF_MS`, and at each SIGUSR2 it jumps by
 * `CLOCK_JUMP_MS`. The monotonic clock, and with it every timer, goes on as ever.
 */
const { CLOCK_OFF_MS = '0', CLOCK_JUMP_MS = '0' } = process.env;
const machineNow = Date.now;
let offMs = Number(CLOCK_OFF_MS);
process.on('SIGUSR2', () => (offMs += Number(CLOCK_JUMP_MS)));

globalThis.Date = class extends Date {
  static readonly machineNow = machineNow;

  static override now(): number {
    return machineNow() + offMs;
  }

  constructor(...from: readonly number[]) {
    super(...((from.length === 0 ? [machineNow() + offMs] : from) as [number]));
  }
} as unknown as DateConstructor;

export {};
