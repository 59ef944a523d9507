/*
 * Loaded into a process before anything else: its clock is off by `CLOCK_OFF_MS`, and at each SIGWINCH, which
 * means nothing to anybody else, it jumps by `CLOCK_JUMP_MS`. The monotonic clock, and with it every timer, goes on as ever.
 */
import type { WrongDate } from '../support/machine-clock.js';

const { CLOCK_OFF_MS = '0', CLOCK_JUMP_MS = '0' } = process.env;
const machineNow = Date.now;
let offMs = Number(CLOCK_OFF_MS);
process.on('SIGWINCH', () => (offMs += Number(CLOCK_JUMP_MS)));

const wrong = class extends Date {
  static readonly machineNow = machineNow;

  static override now(): number {
    return machineNow() + offMs;
  }

  constructor(...from: readonly number[]) {
    super(...((from.length === 0 ? [machineNow() + offMs] : from) as [number]));
  }
};
globalThis.Date = wrong as unknown as WrongDate;
