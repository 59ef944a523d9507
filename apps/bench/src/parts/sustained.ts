import type { Bench } from '../bench.js';
import { against } from '../figure.js';
import { table, whole } from '../table.js';
import type { Target } from '../target.js';
import { SIDES, steady, type Side } from './steady.js';

const LIMIT_MS = 50;
const RATES = [1_000, 2_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000];

/** The highest of the rates at which p99 lateness stays under 50 ms; each is tried until one is too much. */
export async function sustained(bench: Bench): Promise<Target[]> {
  const reached: number[] = [];
  bench.print(
    `\nSustained: the rate at which p99 lateness stays under ${LIMIT_MS} ms, producer and consumer a process each`,
  );
  for (const side of SIDES) reached.push(await highest(bench, side));
  const [ours = NaN, theirs = NaN] = reached;
  bench.print(table(SIDES.map(({ label }, i) => [label, `${whole(reached[i] ?? NaN)}/s`])));
  bench.record(against('sustained rate', 'messages/s', ours, 'BullMQ', theirs));
  return [];
}

async function highest(bench: Bench, side: Side): Promise<number> {
  let best = 0;
  await bench.run(side.pending, { messages: 1_000, warmUp: 0 });
  for (const rate of RATES) {
    const { p99 = NaN } = await steady(bench, side, rate, bench.sizes.seconds);
    if (!(p99 < LIMIT_MS)) break;
    best = rate;
  }
  return best;
}
