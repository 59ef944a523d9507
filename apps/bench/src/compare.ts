import type { Bench } from './bench.js';
import type { RoundName } from './round-process.js';
import { spread, type Spread } from './spread.js';
import { table, whole } from './table.js';

/** One side of a comparison. */
export interface Contender {
  readonly label: string;
  readonly round: RoundName;
  readonly concurrency?: number;
  readonly queueSize?: number;
}

/** Runs the contenders in turns, so that whatever else the machine does falls on all, and prints their rates. */
export async function compare(bench: Bench, contenders: readonly Contender[]): Promise<Spread[]> {
  const { messages, warmUp, rounds } = bench.sizes;
  const rates = contenders.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { label: _, round: name, ...settings }] of contenders.entries()) {
      const { rate = Number.NaN } = await bench.run(name, { messages, warmUp, ...settings });
      rates[index]?.push(rate);
    }
  }
  const spreads = rates.map(spread);
  const rows = spreads.map(({ median, min, max }, index) => [
    contenders[index]?.label ?? '',
    whole(median),
    `${whole(min)} … ${whole(max)}`,
  ]);
  bench.print(table([['messages/s', 'median', 'from … to'], ...rows]));
  return spreads;
}

/** How many times the second median the first is. */
export const ratio = (first: Spread | undefined, second: Spread | undefined): number =>
  (first?.median ?? Number.NaN) / (second?.median ?? Number.NaN);
