import type { Bench } from '../bench.js';
import { alone } from '../figure.js';
import { growthCurves } from '../plots/growth.js';
import type { RoundOutput } from '../rounds/round.js';
import { table, whole } from '../table.js';
import { atMost, type Target } from '../target.js';

/** How many times the cost at the fewest pending messages the cost at the most may be. */
const LIMITS = { send: 3, cancel: Infinity, drain: 1.5 };

/** What an operation costs Redis, by how many messages are pending over a day. */
export async function growth(bench: Bench): Promise<Target[]> {
  const { pendings } = bench.sizes;
  const costs: RoundOutput[] = [];
  for (const messages of pendings) {
    await bench.run('delay-queue pending', { messages, warmUp: 0 });
    costs.push(await bench.runOn('delay-queue growth', { messages, warmUp: 0 }));
  }
  bench.print(
    '\nGrowth: µs of Redis CPU per message, by how many others are pending, due at random over 24 hours',
  );
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  bench.print(
    table([
      ['pending', ...names],
      ...pendings.map((pending, i) => [
        whole(pending),
        ...names.map((name) => (costs[i]?.[name] ?? NaN).toFixed(2)),
      ]),
    ]),
  );
  const curves = pendings.flatMap((pending, i) =>
    names.map((operation) => ({ pending, operation, us: costs[i]?.[operation] ?? NaN })),
  );
  for (const { pending, operation, us } of curves) {
    bench.record(alone(`${operation} with ${pending} pending`, 'µs of Redis CPU per message', us));
  }
  bench.draw('growth', growthCurves(curves));
  const [first, last] = [costs.at(0), costs.at(-1)];
  return names
    .filter((name) => LIMITS[name] < Infinity)
    .map((name) =>
      atMost(
        `${name} at ${whole(pendings.at(-1) ?? NaN)} pending against ${whole(pendings[0] ?? NaN)}`,
        (last?.[name] ?? NaN) / (first?.[name] ?? NaN),
        LIMITS[name],
        ' x',
      ),
    );
}
