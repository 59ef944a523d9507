import { DelayQueueError, type PutMessage, type PutOutcome } from '@delay-queue/core';
import fc from 'fast-check';
import { at, REGIONS } from '../world.js';
import { aDelay, anEpochShift, anId, aRegion, aWorker, equal, isLost, step } from './step.js';

const aDue = fc.oneof(
  { weight: 4, arbitrary: aDelay.map((delayMs) => ({ delayMs })) },
  { weight: 1, arbitrary: fc.integer({ min: -100, max: 300 }).map((offset) => ({ offset })) },
);

const aMessage = fc.record({
  id: anId,
  due: aDue,
  content: fc.constantFrom('1', '""', '{"a":"é💥\\n"}', ''),
  headers: fc.constantFrom(undefined, {}, { h: '', 'ü:': '\n' }),
  replace: fc.boolean(),
});

/** A put of one to three messages: kept, replaced, followed, refused, absent or moved. */
export const putStep = step(
  'put',
  fc.record({
    worker: aWorker,
    region: aRegion,
    messages: fc.uniqueArray(aMessage, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
    onlyIfPresent: fc.nat(4).map((n) => n === 0),
    shift: anEpochShift,
    lost: isLost,
  }),
  async (world, { worker, region, messages, onlyIfPresent, shift, lost }) => {
    const { now } = world;
    const epoch = Math.max(0, world.model(region).epoch + (world.full ? Math.min(shift, 0) : shift));
    const list = messages.map(({ due, headers, replace, ...message }): PutMessage => ({
      ...message,
      due: 'offset' in due ? { at: now + due.offset } : due,
      ...(headers === undefined ? undefined : { headers }),
      onDuplicate: replace ? 'replace' : 'keep',
    }));
    await world.call<Answer>(
      worker,
      region,
      lost,
      (engine) =>
        engine.put(at(REGIONS, region), list, { epoch, onlyIfPresent }).catch((error: unknown) => {
          if (error instanceof DelayQueueError && error.code === 'OUT_OF_MEMORY') return 'full' as const;
          throw error;
        }),
      (model) => {
        const before = model.clone();
        if (model.moved(epoch)) return 'moved';
        const room = () => world.size - world.model(region).size + model.size < world.store.maxMessages;
        const outcomes = list.map((message) => model.put(message, now, onlyIfPresent, room));
        if (!world.full || !outcomes.some(({ outcome }) => WRITES.has(outcome))) return outcomes;
        Object.assign(model, before);
        return 'full';
      },
      equal,
    );
  },
);

type Answer = readonly PutOutcome[] | 'moved' | 'full';

const WRITES: ReadonlySet<string> = new Set(['stored', 'replaced', 'queued']);
