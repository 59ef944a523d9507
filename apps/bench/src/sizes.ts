/** How much is measured. */
export interface Sizes {
  readonly messages: number;
  /** Of the sends that are made one by one. */
  readonly singles: number;
  readonly warmUp: number;
  readonly rounds: number;
  /** Concurrencies that BullMQ's worker is tried at, with `sweepMessages` each. */
  readonly sweep: readonly number[];
  readonly sweepMessages: number;
  readonly memoryMessages: number;
  readonly lateMessages: number;
  /** Cancels and reschedules. */
  readonly changes: number;
  /** Pending beside a stream, its rates per second, and how long each takes. */
  readonly pending: number;
  readonly rates: readonly number[];
  readonly seconds: number;
  /** Pending when the cost of an operation is measured. */
  readonly pendings: readonly number[];
  readonly fleetSeconds: number;
  /** Sends that are called at once. */
  readonly flood: number;
  /** Timers that are added and cancelled on top of a million. */
  readonly timers: number;
  readonly timerRounds: number;
}

export const FULL: Sizes = {
  messages: 200_000,
  singles: 20_000,
  warmUp: 50_000,
  rounds: 5,
  sweep: [16, 32, 64, 128, 256, 512, 1_024],
  sweepMessages: 40_000,
  memoryMessages: 100_000,
  lateMessages: 1_000,
  changes: 100_000,
  pending: 1_000_000,
  rates: [100, 1_000, 5_000],
  seconds: 20,
  pendings: [10_000, 100_000, 1_000_000, 10_000_000],
  fleetSeconds: 30,
  flood: 1_000_000,
  timers: 200_000,
  timerRounds: 5,
};

/** For a look in a minute; the figures of so few messages waver. */
export const QUICK: Sizes = {
  messages: 20_000,
  singles: 2_000,
  warmUp: 5_000,
  rounds: 1,
  sweep: [256],
  sweepMessages: 10_000,
  memoryMessages: 20_000,
  lateMessages: 1_000,
  changes: 10_000,
  pending: 20_000,
  rates: [1_000],
  seconds: 3,
  pendings: [10_000, 50_000],
  fleetSeconds: 4,
  flood: 100_000,
  timers: 50_000,
  timerRounds: 1,
};
