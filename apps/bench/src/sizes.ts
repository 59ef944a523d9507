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
};

/** For a look in a minute; the figures of so few messages waver. */
export const QUICK: Sizes = {
  messages: 20_000,
  singles: 2_000,
  warmUp: 5_000,
  rounds: 3,
  sweep: [32, 256],
  sweepMessages: 10_000,
  memoryMessages: 20_000,
  lateMessages: 1_000,
};
