import type { Bench } from '../bench.js';
import { alone } from '../figure.js';
import { REPORTED } from '../rounds/percentiles.js';
import { table } from '../table.js';
import { atMost, type Target } from '../target.js';

const RATE = 50;

/** Many consumers, few messages: most looks could be in vain. */
export async function fleet(bench: Bench): Promise<Target[]> {
  const messages = RATE * bench.sizes.fleetSeconds;
  const { claims = NaN, ...late } = await bench.run('delay-queue fleet', { messages, warmUp: 0, rate: RATE });
  bench.print(`\nFleet: 20 consumers of one topic of 5 regions, ${RATE} messages/s`);
  bench.print(
    table([
      ['', 'claims per message', ...REPORTED.map((share) => `${share}, ms`)],
      ['delay queue', claims.toFixed(2), ...REPORTED.map((share) => `${late[share] ?? NaN}`)],
    ]),
  );
  bench.record(alone('fleet of 20, claims', 'per message', claims));
  for (const share of REPORTED)
    bench.record(alone(`fleet of 20, lateness ${share}`, 'ms', late[share] ?? NaN));
  return [
    atMost('fleet of 20, claims per message', claims, 2, ''),
    atMost('fleet of 20, p99 of lateness', late['p99'] ?? NaN, 10, ' ms'),
  ];
}
