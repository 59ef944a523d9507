/** What a round is told. */
export interface RoundInput {
  readonly redisPort: number;
  readonly messages: number;
  /** Messages of a warm-up in the same process, before the clock runs. */
  readonly warmUp: number;
  readonly concurrency?: number;
  readonly queueSize?: number;
}

/** What a round measured: named figures. */
export type RoundOutput = Readonly<Record<string, number>>;

/** One measurement. It runs in a process of its own, on an empty Redis. */
export type Round = (input: RoundInput) => Promise<RoundOutput>;
