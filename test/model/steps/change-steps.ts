import fc from 'fast-check';
import { at, REGIONS } from '../world.js';
import { aDelay, anEpochShift, anId, aRegion, aWorker, equal, isLost, someIds, step } from './step.js';

const onRegion = { worker: aWorker, region: aRegion, shift: anEpochShift, lost: isLost };

/** A cancel of a few ids. */
export const cancelStep = step(
  'cancel',
  fc.record({ ...onRegion, ids: someIds }),
  async (world, { worker, region, shift, lost, ids }) => {
    const epoch = Math.max(0, world.model(region).epoch + shift);
    await world.call(
      worker,
      region,
      lost,
      (engine) => engine.cancel(at(REGIONS, region), ids, { epoch }),
      (model) => (model.moved(epoch) ? 'moved' : ids.map((id) => model.cancel(id, world.now))),
      equal,
    );
  },
);

/** A reschedule of one id. */
export const rescheduleStep = step(
  'reschedule',
  fc.record({ ...onRegion, id: anId, delayMs: aDelay, past: fc.nat(5) }),
  async (world, { worker, region, shift, lost, id, delayMs, past }) => {
    const epoch = Math.max(0, world.model(region).epoch + shift);
    const due = past === 0 ? { at: world.now - delayMs } : { delayMs };
    await world.call(
      worker,
      region,
      lost,
      (engine) => engine.reschedule(at(REGIONS, region), id, due, { epoch }),
      (model) => (model.moved(epoch) ? 'moved' : model.reschedule(id, due, world.now)),
      equal,
    );
  },
);
