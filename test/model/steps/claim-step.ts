import type { ClaimOptions } from '@delay-queue/core';
import fc from 'fast-check';
import { regionName } from '../../contract/support/test-store.js';
import { differences } from '../differences.js';
import { applyClaim } from '../model-claim.js';
import { at, REGIONS, type World } from '../world.js';
import { aRegion, aWorker, isLost, step } from './step.js';

/** A claim, which recovers expired leases too. */
export const claimStep = step(
  'claim',
  fc.record({
    worker: aWorker,
    region: aRegion,
    max: fc.integer({ min: 1, max: 4 }),
    leaseMs: fc.constantFrom(12_000, 20_000, 30_000),
    maxCrashes: fc.integer({ min: 1, max: 3 }),
    lost: isLost,
  }),
  async (world, { worker, region, lost, ...options }) => {
    await claim(world, worker, region, options, lost);
  },
);

/** Claims, and makes the model what the engine chose to do, if that was within the rules. */
export async function claim(
  world: World,
  worker: number,
  region: number,
  options: ClaimOptions,
  lost = false,
): Promise<number | undefined> {
  const { engine, orphans } = world.worker(worker);
  const make = () => engine.claim(at(REGIONS, region), options);
  const answer = lost ? await world.store.lose(make) : { result: await world.reach(make) };
  const after = await world.read(region);
  const kept = orphans.filter((orphan) => after.leases.has(orphan));
  if (world.store.givesBack && answer !== 'lost' && !lost && kept.length > 0) {
    throw new Error(`claims without an answer were not given back: ${kept.join()}`);
  }
  const explained: string[] = [];
  for (const orphansWere of ['given back', 'recovered'] as const) {
    const model = world.model(region).clone();
    const observed = { options, now: world.now, orphans, after, orphansWere, partly: lost };
    const broken = [
      ...applyClaim(model, answer === 'lost' ? observed : { ...observed, claim: answer.result }),
      ...differences(model, after, world.now),
    ];
    if (broken.length > 0) {
      explained.push(broken.join('\n'));
      continue;
    }
    const fresh = [...model.leases.keys()].find((lease) => !world.model(region).leases.has(lease));
    world.adopt(region, model, after);
    if (fresh !== undefined) note(world, worker, region, fresh, answer === 'lost');
    return answer === 'lost' ? undefined : answer.result.lookAt;
  }
  throw new Error(`${regionName(at(REGIONS, region))} at ${world.now}:\n${explained.join('\nor\n')}`);
}

function note(world: World, worker: number, region: number, lease: string, lost: boolean): void {
  const { engine } = world.worker(worker);
  const past = world.pastOf(region);
  if (past.some((other) => other.lease === lease)) throw new Error(`lease ${lease} was used twice`);
  const ids = [...world.model(region).ids].filter(([, stored]) => stored.lease === lease).map(([id]) => id);
  past.push({ lease, owner: engine, ids });
  if (lost) world.worker(worker).orphans.push(lease);
}
