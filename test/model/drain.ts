import { claim } from './steps/claim-step.js';
import { pause } from './steps/registry-steps.js';
import { settle } from './steps/settle-step.js';
import { REGIONS, type World } from './world.js';

/** Looks that a region is given to come to its end. */
const LOOKS = 200;

/**
 * The end of every run: nothing is paused or full any more, one worker goes on looking when it is told to.
 * Every message must be handed out then, and none may be left but dead letters.
 */
export async function drain(world: World): Promise<void> {
  await world.store.setFull?.(false);
  world.full = false;
  for (const region of REGIONS.keys()) {
    if (world.model(region).paused) await pause(world, 0, region, false);
    await drainRegion(world, region);
  }
}

async function drainRegion(world: World, region: number): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    const before = new Set(world.model(region).leases.keys());
    const lookAt = await claim(world, 0, region, { max: 3, leaseMs: 60_000, maxCrashes: 3 });
    const { ids, leases } = world.model(region);
    for (const lease of leases.keys()) {
      if (before.has(lease)) continue;
      const held = [...ids].filter(([, stored]) => stored.lease === lease);
      await settle(
        world,
        0,
        region,
        lease,
        held.map(([id]) => ({ id, verdict: 'done' })),
        { dedupeMs: 0, whole: true },
      );
    }
    if ([...world.model(region).ids.values()].every(({ state }) => state === 'dead')) return;
    const next = Math.min(lookAt ?? Infinity, world.now + 5_000);
    world.store.clock.advance(Math.max(1, next - world.now));
  }
  const left = [...world.model(region).ids].filter(([, { state }]) => state !== 'dead');
  throw new Error(`after ${LOOKS} looks these are left: ${JSON.stringify(left)}`);
}
