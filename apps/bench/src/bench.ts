import type { Figure } from './figure.js';
import type { RoundName } from './round-process.js';
import type { RoundInput, RoundOutput } from './rounds/round.js';
import type { Sizes } from './sizes.js';

/** What every part of the benchmark works with. */
export interface Bench {
  readonly sizes: Sizes;
  /** Runs one round on an empty Redis in a process of its own. */
  run(name: RoundName, input: Omit<RoundInput, 'redisPort'>): Promise<RoundOutput>;
  print(text: string): void;
  /** Keeps a figure for `--json`. */
  record(figure: Figure): void;
}
