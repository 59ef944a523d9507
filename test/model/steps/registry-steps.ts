import { DelayQueueError, type Topology, type TopologyProposal } from '@delay-queue/core';
import fc from 'fast-check';
import { inspectorOf } from '../../contract/support/inspector.js';
import { regionName } from '../../contract/support/test-store.js';
import { at, REGIONS, type World } from '../world.js';
import { aRegion, aWorker, equal, isLost, isOn, step } from './step.js';

const UNKNOWN: Topology = { epoch: 0, counts: [], paused: false };
const aCount = fc.constantFrom(3, 5, 8);

const known = (world: World, topic: string) => world.topologies.get(topic) ?? UNKNOWN;

/** A topic is paused or resumed, in the registry and in one region. */
export const pauseStep = step(
  'pause',
  fc.record({ worker: aWorker, region: aRegion, paused: isOn }),
  async (world, { worker, region, paused }) => {
    const { topic, index } = at(REGIONS, region);
    if (world.full && paused) return;
    await pause(world, worker, region, paused);
    expectSame(await world.worker(worker).engine.topology(topic), known(world, topic), `${topic}/${index}`);
  },
);

/** Pauses or resumes. */
export async function pause(world: World, worker: number, region: number, paused: boolean): Promise<void> {
  const { topic, index } = at(REGIONS, region);
  await world.call(
    worker,
    region,
    false,
    (engine) => inspectorOf(engine).setPaused(topic, [index], paused),
    (model) => void (model.paused = paused),
    equal,
  );
  world.topologies.set(topic, { ...known(world, topic), paused });
}

/** A region count is proposed, from a reading of now or an older one. */
export const proposeStep = step(
  'propose',
  fc.record({
    worker: aWorker,
    region: aRegion,
    regions: aCount,
    behind: fc.constantFrom(0, 0, 0, 1, -1),
    former: fc.option(fc.uniqueArray(aCount), { nil: undefined }),
    ahead: fc.option(fc.nat(3), { nil: undefined }),
    lost: isLost,
  }),
  async (world, { worker, region, regions, behind, former, ahead, lost }) => {
    const { topic } = at(REGIONS, region);
    const current = known(world, topic);
    const proposal: TopologyProposal = {
      regions,
      selector: 'jump hash 1',
      expectedEpoch: current.epoch - behind,
      ...(former === undefined ? undefined : { former }),
      ...(ahead === undefined ? undefined : { minEpoch: current.epoch + ahead }),
    };
    const next = propose(current, proposal);
    const { engine } = world.worker(worker);
    const make = () =>
      engine.topology(topic, proposal).catch((error: unknown) => {
        if (world.full && error instanceof DelayQueueError && error.code === 'OUT_OF_MEMORY')
          return 'full' as const;
        throw error;
      });
    const answer = lost ? await world.store.lose(make) : { result: await world.reach(make) };
    if (answer === 'lost') {
      const read = await world.reach(() => engine.topology(topic));
      if (equal(read, next).length > 0) expectSame(read, current, topic);
      world.topologies.set(topic, read);
    } else if (answer.result !== 'full') {
      expectSame(answer.result, next, topic);
      world.topologies.set(topic, next);
    }
    expectSame(await world.reach(() => engine.topology(topic)), known(world, topic), topic);
    if (known(world, topic).paused) await adoptPauses(world, topic, Math.max(...next.counts));
    await world.read();
  },
);

/** An engine may, not must, carry the pause of a topic over to the regions that a new count brings. */
async function adoptPauses(world: World, topic: string, count: number): Promise<void> {
  const { regions } = await world.store.snapshot();
  for (const [i, region] of REGIONS.entries()) {
    const real = regions.get(regionName(region));
    if (region.topic === topic && region.index < count && real?.paused === true) world.model(i).paused = true;
  }
}

function propose(
  current: Topology,
  { regions, selector, expectedEpoch, former = [], minEpoch = 0 }: TopologyProposal,
) {
  if (current.epoch !== expectedEpoch) return current;
  const others = [...current.counts, ...former].filter((count) => count !== regions);
  const counts = [...new Set(others), regions];
  if (equal(counts, current.counts).length === 0 && minEpoch <= current.epoch) return current;
  const epoch = Math.max(current.epoch, minEpoch) + 1;
  return { epoch, counts, paused: current.paused, selector: current.selector ?? selector };
}

/** The store runs out of memory, or gets some. */
export const fullStep = step('full', fc.record({ full: isOn }), async (world, { full }) => {
  if (world.store.setFull === undefined) return;
  await world.store.setFull(full);
  world.full = full;
  await world.read();
});

function expectSame(actual: Topology, expected: Topology, what: string): void {
  const found = equal(expected, actual);
  if (found.length > 0) throw new Error(`registry of ${what}: ${found.join('\n')}`);
}
