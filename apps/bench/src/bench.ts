import type { Figure } from './figure.js';
import type { Plot } from './plots/draw.js';
import type { RoundName } from './round-process.js';
import type { RoundInput, RoundOutput } from './rounds/round.js';
import type { Sizes } from './sizes.js';

/** What every part of the benchmark works with. */
export interface Bench {
  readonly sizes: Sizes;
  /** Empties Redis, and runs a round in a process of its own. */
  run(name: RoundName, input: Omit<RoundInput, 'redisPort'>): Promise<RoundOutput>;
  /** The same on what an earlier round left in Redis. */
  runOn(name: RoundName, input: Omit<RoundInput, 'redisPort'>): Promise<RoundOutput>;
  print(text: string): void;
  /** Keeps a figure for `--json`. */
  record(figure: Figure): void;
  /** Keeps a plot for `--plots`, under a file name without its end. */
  draw(name: string, plot: Plot): void;
}
