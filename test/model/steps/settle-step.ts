import type { Settled, SettleOptions, Verdict } from '@delay-queue/core';
import fc from 'fast-check';
import { at, REGIONS, type World } from '../world.js';
import { aDelay, anId, aRegion, aWorker, equal, isLost, step } from './step.js';

const aVerdict = fc.oneof(
  fc.constant({ verdict: 'done' as const }),
  fc.record({ verdict: fc.constant('retry' as const), delayMs: aDelay, failed: fc.boolean() }),
  fc.record({
    verdict: fc.constant('dead' as const),
    reason: fc.constantFrom('', 'é\n1 2'),
    failed: fc.boolean(),
  }),
  fc.record({ verdict: fc.constant('release' as const), started: fc.boolean() }),
  fc.record({ verdict: fc.constant('release' as const), started: fc.boolean(), delayMs: aDelay }),
);

/** A settle of a lease of now or earlier: in time, late, twice, of ids that it never held. */
export const settleStep = step(
  'settle',
  fc.record({
    worker: aWorker,
    region: aRegion,
    alive: fc.nat(4).map((n) => n > 0),
    back: fc.nat(5),
    verdicts: fc.array(aVerdict, { minLength: 1, maxLength: 4 }),
    foreign: fc.option(anId),
    dedupeMs: fc.constantFrom(0, 0, 50, 5_000),
    lost: isLost,
  }),
  async (world, { worker, region, alive, back, verdicts, foreign, dedupeMs, lost }) => {
    const { leases } = world.model(region);
    const living = alive ? world.pastOf(region).filter(({ lease }) => leases.has(lease)) : [];
    const past = living[back % living.length] ?? world.pastOf(region).at(-1 - back);
    const lease = past?.lease ?? 'never.1';
    const ids = new Set([
      ...(past?.ids ?? []).slice(0, verdicts.length),
      ...(foreign === null ? [] : [foreign]),
    ]);
    const list = [...ids].map((id, i): Verdict => ({ id, ...at(verdicts, i % verdicts.length) }));
    const some = lost ? ofOneKind(list) : list;
    // As a worker would say it: these are all it ever got, and as far as it knows none is settled.
    const whole = foreign === null && some.length === past?.ids.length;
    await settle(world, worker, region, lease, some, { dedupeMs, whole }, lost);
  },
);

/** Settles, and checks what it says. */
export async function settle(
  world: World,
  worker: number,
  region: number,
  lease: string,
  verdicts: readonly Verdict[],
  options: SettleOptions,
  lost = false,
): Promise<void> {
  await world.call<Settled>(
    worker,
    region,
    lost,
    (engine) => engine.settle(at(REGIONS, region), lease, verdicts, options),
    (model) => model.settle(lease, verdicts, world.now, options.dedupeMs),
    (expected, actual) => equal(sorted(expected), sorted(actual)),
  );
}

/** An engine may settle `done` and the rest in two steps, of which only one may be carried out. */
function ofOneKind(verdicts: readonly Verdict[]): readonly Verdict[] {
  const [first] = verdicts;
  return verdicts.filter(({ verdict }) => (verdict === 'done') === (first?.verdict === 'done'));
}

const sorted = ({ stale, superseded, lookAt }: Settled) => ({
  lookAt,
  stale: [...stale].sort(),
  superseded: [...superseded].sort(),
});
