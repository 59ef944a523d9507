import type { PutOutcome } from '@delay-queue/core';
import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put, REGION } from './support.js';

const REFUSED: PutOutcome = { outcome: 'refused' };
const HOUR = 3_600_000;

it('refuses the message after the last one that has room, and takes one when another is gone', async () => {
  const store = new MemoryStore({ maxMessages: 1000 });
  const engine = await openEngine(store);
  const outcomes = await put(engine, ...Array.from({ length: 1001 }, (_, i) => message(`m${i}`, HOUR)));
  expect(outcomes.slice(0, 1000).every(({ outcome }) => outcome === 'stored')).toBe(true);
  expect(outcomes[1000]).toEqual(REFUSED);
  expect(store.size).toBe(1000);
  await engine.cancel(REGION, ['m7'], { epoch: 0 });
  expect(await put(engine, message('m1000', HOUR), message('m1001', HOUR))).toEqual([
    { outcome: 'stored' },
    REFUSED,
  ]);
});

it('counts running messages, their followers and dead letters', async () => {
  const store = new MemoryStore({ maxMessages: 3 });
  const engine = await openEngine(store);
  await put(engine, message('dead', 0), message('runs', 0));
  const { lease = '' } = await claim(engine);
  await engine.settle(REGION, lease, [{ id: 'dead', verdict: 'dead', reason: 'why', failed: true }], {
    dedupeMs: 0,
  });
  expect(await put(engine, message('runs', 0, { onDuplicate: 'replace' }))).toEqual([{ outcome: 'queued' }]);
  expect(store.stats()).toEqual({ waiting: 0, running: 1, followers: 1, dead: 1, handled: 0, leases: 1 });
  expect(await put(engine, message('more', 0))).toEqual([REFUSED]);
  // What takes a place that is taken already needs no room.
  expect(await put(engine, message('runs', 5, { onDuplicate: 'replace' }))).toEqual([{ outcome: 'queued' }]);
  expect(await put(engine, message('dead', 5, { onDuplicate: 'replace' }))).toEqual([
    { outcome: 'replaced' },
  ]);
  expect(await put(engine, message('dead', 5))).toEqual([{ outcome: 'duplicate', state: 'waiting' }]);
  expect(store.size).toBe(3);
});

it('refuses a follower without room and leaves the running one alone', async () => {
  const store = new MemoryStore({ maxMessages: 1 });
  const engine = await openEngine(store);
  await put(engine, message('a', 0));
  expect((await claim(engine)).messages).toHaveLength(1);
  expect(await put(engine, message('a', 0, { onDuplicate: 'replace' }))).toEqual([REFUSED]);
  expect(store.stats()).toMatchObject({ running: 1, followers: 0 });
});

it('is counted over all delay queues and namespaces on the store', async () => {
  const store = new MemoryStore({ maxMessages: 1 });
  const clock = new TestClock();
  const one = await openEngine(store, clock);
  const other = memoryEngine({ store })({ namespace: 'other', clock, logger: console });
  await put(one, message('a', HOUR));
  expect(await put(other, message('b', HOUR))).toEqual([REFUSED]);
});

it.each([0, -1, 1.5, NaN, '10', null])('is not %s', (maxMessages) => {
  const wrong = { maxMessages: maxMessages as number };
  for (const make of [() => memoryEngine(wrong), () => new MemoryStore(wrong)]) {
    expect(make).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('maxMessages') as string,
      }),
    );
  }
});
