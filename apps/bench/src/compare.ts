import type { Bench } from './bench.js';
import type { RoundName } from './round-process.js';
import type { RoundOutput } from './rounds/round.js';
import { spread, type Spread } from './spread.js';
import { table, whole } from './table.js';

/** One side of a comparison. */
export interface Contender {
  readonly label: string;
  readonly round: RoundName;
  /** Runs before it and is not measured. */
  readonly after?: RoundName;
  readonly concurrency?: number;
  readonly queueSize?: number;
}

/** Runs the contenders in turns, so that whatever else the machine does falls on all, and prints their rates and costs. */
export async function compare(bench: Bench, contenders: readonly Contender[]): Promise<Spread[]> {
  const { messages, warmUp, rounds } = bench.sizes;
  const outputs = contenders.map((): RoundOutput[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { round: name, after, label: _, ...settings }] of contenders.entries()) {
      if (after !== undefined) await bench.run(after, { messages, warmUp });
      outputs[index]?.push(await bench.run(name, { messages, warmUp, ...settings }));
    }
  }
  const spreads = outputs.map((each) => spread(figures(each, 'rate')));
  const rows = spreads.map(({ median, min, max }, index) => {
    const microseconds = ['nodeUs', 'redisUs'].map((name) =>
      spread(figures(outputs[index] ?? [], name)).median.toFixed(1),
    );
    return [contenders[index]?.label ?? '', whole(median), `${whole(min)} … ${whole(max)}`, ...microseconds];
  });
  bench.print(table([['', 'messages/s', 'from … to', 'Node, µs each', 'Redis, µs each'], ...rows]));
  return spreads;
}

/** How many times the second median the first is. */
export const ratio = (first: Spread | undefined, second: Spread | undefined): number =>
  (first?.median ?? Number.NaN) / (second?.median ?? Number.NaN);

const figures = (outputs: readonly RoundOutput[], name: string): number[] =>
  outputs.map((output) => output[name] ?? Number.NaN);
