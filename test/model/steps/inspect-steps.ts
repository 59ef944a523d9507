import type { EngineInspector, Moved, StoredMessage } from '@delay-queue/core';
import fc from 'fast-check';
import { inspectorOf } from '../../contract/support/inspector.js';
import type { ModelRegion } from '../model-region.js';
import { at, REGIONS, type World } from '../world.js';
import { anEpochShift, anId, aRegion, aWorker, equal, isLost, someIds, step } from './step.js';

const onRegion = { worker: aWorker, region: aRegion, lost: isLost };

const inspect = <R>(
  world: World,
  { worker, region, lost }: { worker: number; region: number; lost: boolean },
  make: (inspector: EngineInspector) => Promise<R>,
  carryOut: (model: ModelRegion) => R,
  same: (expected: R, actual: R) => readonly string[] = equal,
) => world.call(worker, region, lost, (engine) => make(inspectorOf(engine)), carryOut, same);

/** Dead letters are driven again or thrown away. */
export const deadLetterStep = step(
  'dead letters',
  fc.record({ ...onRegion, ids: someIds, what: fc.constantFrom('redrive' as const, 'discard' as const) }),
  async (world, { ids, what, ...on }) => {
    await inspect(
      world,
      on,
      (inspector) => inspector[what](at(REGIONS, on.region), ids),
      (model) => ids.map((id) => (what === 'redrive' ? model.redrive(id, world.now) : model.discard(id))),
    );
  },
);

/** A region is counted, and its next second forecast. */
export const countStep = step('count', fc.record(onRegion), async (world, on) => {
  const region = at(REGIONS, on.region);
  await inspect(
    world,
    on,
    async (inspector) => [await inspector.counts(region), await inspector.dueSoon(region, 1_000)],
    (model) => [model.counts(world.now), model.due(world.now + 1_000).length],
  );
});

/** An id is looked for. */
export const findStep = step(
  'find',
  fc.record({ ...onRegion, id: anId, shift: anEpochShift }),
  async (world, { id, shift, ...on }) => {
    const epoch = Math.max(0, world.model(on.region).epoch + shift);
    await inspect<StoredMessage | undefined | Moved>(
      world,
      on,
      (inspector) => inspector.find(at(REGIONS, on.region), id, { epoch }),
      (model) => (model.moved(epoch) ? 'moved' : found(model, id, world.now)),
      (expected, actual) => equal(comparable(expected), comparable(actual)),
    );
  },
);

function found(model: ModelRegion, id: string, now: number): StoredMessage | undefined {
  const state = model.stateOf(id, now);
  const of = model.ids.get(id);
  if (state === undefined) return undefined;
  if (of === undefined) {
    const counts = { deliveries: 0, failures: 0, crashes: 0 };
    return { id, state, dueAt: model.seen.get(id) ?? 0, sentAt: 0, ...counts, content: '' };
  }
  const { version, deliveries, failures, crashes, at: when } = of;
  const dueAt = state === 'dead' ? when : version.dueAt;
  return { id, state, ...version, dueAt, deliveries, failures, crashes };
}

/** What the seam leaves open: absent or empty headers, the wording of reasons, when a held back message is due. */
function comparable(message: StoredMessage | undefined | Moved) {
  if (message === undefined || message === 'moved') return message;
  const { headers = {}, reason: _, dueAt, sentAt, state, ...rest } = message;
  const times = state === 'waiting' ? {} : state === 'handled' ? { dueAt } : { dueAt, sentAt };
  return { ...rest, state, headers: { ...headers }, ...times };
}
