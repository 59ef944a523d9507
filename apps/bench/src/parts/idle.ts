import type { Bench } from '../bench.js';
import { alone } from '../figure.js';
import { table } from '../table.js';
import { atMost, type Target } from '../target.js';

/** One topic of five regions: a claim each, a read of the registry, a PING of the subscriber. */
export async function idle(bench: Bench): Promise<Target[]> {
  const { total = Number.NaN, ...commands } = await bench.run('delay-queue idle', { messages: 0, warmUp: 0 });
  bench.print('\nIdle: commands per safety look of one process that consumes one topic of five regions');
  bench.print(table(Object.entries(commands).map(([name, count]) => [name, count.toFixed(1)])));
  bench.record(alone('idle', 'commands per safety look', total));
  return [atMost('commands per safety look', total, 7, '')];
}
