import type { Bench } from '../bench.js';
import { alone } from '../figure.js';
import { table, whole } from '../table.js';
import { atLeast, atMost, type Target } from '../target.js';

/** Nothing else is going on; the safety look comes once in an hour. */
export async function lateness(bench: Bench): Promise<Target[]> {
  const messages = bench.sizes.lateMessages;
  const late = await bench.run('delay-queue lateness', { messages, warmUp: 0 });
  bench.print(
    `\nLateness: ${whole(messages)} messages due over 5 s on an idle system, without help of the safety look`,
  );
  bench.print(
    table([
      ['ms', ...Object.keys(late)],
      ['', ...Object.values(late).map((value) => `${value}`)],
    ]),
  );
  for (const [share, ms] of Object.entries(late))
    bench.record(alone(`lateness when idle, ${share}`, 'ms', ms));
  const { min = Number.NaN, p99 = Number.NaN } = late;
  return [
    atLeast('earliest start after the due time', min, 0, ' ms'),
    atMost('p99 of lateness', p99, 10, ' ms'),
  ];
}
