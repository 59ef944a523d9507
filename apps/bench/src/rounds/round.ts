/** What a round is told. */
export interface RoundInput {
  readonly redisPort: number;
  readonly messages: number;
  /** Messages of a warm-up in the same process, before the clock runs. */
  readonly warmUp: number;
  readonly concurrency?: number;
  readonly queueSize?: number;
  /** Messages per second. */
  readonly rate?: number;
  /** Rounds that run side by side begin at this time, epoch ms. */
  readonly startAt?: number;
}

/** What a round measured: named figures. */
export type RoundOutput = Readonly<Record<string, number>>;

/** One measurement. It runs in a process of its own. */
export type Round = (input: RoundInput) => Promise<RoundOutput>;
