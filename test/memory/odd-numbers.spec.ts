import type { Verdict } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put, REGION } from './support.js';

/* Core lets no such number through. An engine that met one all the same must not lose a message over it. */

it('refuses a due time that is no number, and keeps the message that was to be replaced or moved', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const engine = await openEngine(store, clock);
  await put(engine, message('a', 5));
  await expect(put(engine, message('a', NaN, { onDuplicate: 'replace' }))).rejects.toThrow(RangeError);
  await expect(engine.reschedule(REGION, 'a', { at: NaN }, { epoch: 0 })).rejects.toThrow(RangeError);
  clock.advance(5);
  expect((await claim(engine)).messages).toMatchObject([{ id: 'a' }]);
  expect(store.size).toBe(1);
});

it('refuses a verdict whose delay is no number, and takes a better one afterwards', async () => {
  const store = new MemoryStore();
  const engine = await openEngine(store);
  await put(engine, message('a', 0));
  const { lease = '' } = await claim(engine);
  const settle = (verdict: Verdict) => engine.settle(REGION, lease, [verdict], { dedupeMs: 0 });
  await expect(settle({ id: 'a', verdict: 'retry', delayMs: NaN, failed: true })).rejects.toThrow(RangeError);
  expect(await settle({ id: 'a', verdict: 'retry', delayMs: Infinity, failed: true })).toMatchObject({
    stale: [],
    lookAt: Number.MAX_SAFE_INTEGER,
  });
});

it('takes negative delays for none, and a lease without end for a long one', async () => {
  const engine = await openEngine();
  await put(engine, message('a', -5), message('b', -Number.MAX_VALUE));
  const options = { max: 9, maxCrashes: 1 };
  await expect(engine.claim(REGION, { ...options, leaseMs: NaN })).rejects.toThrow(RangeError);
  expect((await engine.claim(REGION, { ...options, leaseMs: Infinity })).messages).toHaveLength(2);
});
