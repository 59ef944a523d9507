import fc from 'fast-check';
import { at, REGIONS } from '../world.js';
import { aRegion, aWorker, equal, isLost, step } from './step.js';

/** A renewal of leases of this worker, some of which may be lost or over. */
export const renewStep = step(
  'renew',
  fc.record({
    worker: aWorker,
    region: aRegion,
    most: fc.integer({ min: 1, max: 4 }),
    leaseMs: fc.constantFrom(12_000, 30_000),
    lost: isLost,
  }),
  async (world, { worker, region, most, leaseMs, lost }) => {
    const { engine, orphans } = world.worker(worker);
    const alive = world.model(region).leases;
    const leases = world
      .pastOf(region)
      .filter(({ lease, owner }) => !orphans.includes(lease) && (owner === engine || !alive.has(lease)))
      .slice(-most)
      .map(({ lease }) => lease);
    await world.call(
      worker,
      region,
      lost,
      () => engine.renew(at(REGIONS, region), leases, leaseMs),
      (model) => model.renew(leases, world.now + leaseMs),
      (expected, actual) => equal([...expected].sort(), [...actual].sort()),
    );
  },
);

/** A worker dies with all it holds; another one takes its place. */
export const killStep = step('kill', fc.record({ worker: aWorker }), async (world, { worker }) => {
  const mortal = world.worker(worker);
  await world.store.kill(mortal.engine);
  mortal.engine = await world.store.worker();
  mortal.orphans = [];
  await world.read();
});

/** Time passes. */
export const advanceStep = step(
  'advance',
  fc.record({
    ms: fc.constantFrom(1, 7, 50, 99, 100, 101, 900, 1_000, 5_000, 11_999, 12_000, 20_000, 30_000, 100_000),
  }),
  async (world, { ms }) => {
    world.store.clock.advance(ms);
    await world.read();
  },
);

/** The wall clock is set. */
export const clockStep = step(
  'set clock',
  fc.record({ ms: fc.constantFrom(-1, -60, -1_000, -40_000, 60, 40_000, 10_000_000) }),
  async (world, { ms }) => {
    world.store.clock.step(ms);
    await world.read();
  },
);
