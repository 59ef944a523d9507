import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MemoryStore } from '@delay-queue/memory';
import { expect, it, vi } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put, REGION } from './support.js';

const NOTHING = { waiting: 0, running: 0, followers: 0, dead: 0, handled: 0, leases: 0 };

/** Heap and array buffers in use after a full collection, in MiB. */
function usedMiB(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

vi.setConfig({ testTimeout: 120_000 });

it('a million sends that are cancelled at once leave memory flat', async () => {
  const store = new MemoryStore();
  const engine = await openEngine(store);
  const round = async (n: number) => {
    const ids = Array.from({ length: 1_000 }, (_, i) => `${n}/${i}`);
    await put(engine, ...ids.map((id) => message(id, 3_600_000)));
    await engine.cancel(REGION, ids, { epoch: 0 });
  };
  for (let n = 0; n < 20; n++) await round(n);
  const before = usedMiB();
  for (let n = 0; n < 1_000; n++) await round(n);
  expect(store.size).toBe(0);
  expect(store.stats()).toEqual(NOTHING);
  expect(usedMiB() - before).toBeLessThan(5);
});

it('two hundred thousand short messages with ids of their own are all forgotten, dedupe included', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const engine = await openEngine(store, clock);
  const before = usedMiB();
  const count = 200_000;
  for (let from = 0; from < count; from += 1_000) {
    await put(engine, ...Array.from({ length: 1_000 }, (_, i) => message(`m${from + i}`, i % 50)));
  }
  expect(store.size).toBe(count);
  clock.advance(50);
  for (let left = count; left > 0;) {
    const { lease = '', messages } = await claim(engine);
    left -= messages.length;
    const verdicts = messages.map(({ id }) => ({ id, verdict: 'done' as const }));
    await engine.settle(REGION, lease, verdicts, { dedupeMs: 1_000 });
  }
  expect(store.stats()).toEqual({ ...NOTHING, handled: count });
  clock.advance(1_000);
  for (let looks = 0; looks < count / 1_000; looks++) await claim(engine);
  expect(store.size).toBe(0);
  expect(store.stats()).toEqual(NOTHING);
  expect(usedMiB() - before).toBeLessThan(15);
});

it('a region of which nothing is left costs little', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const engine = await openEngine(store, clock);
  const before = usedMiB();
  for (let index = 0; index < 256; index++) {
    const region = { topic: 'idle', index };
    await engine.put(region, [message('a', 1), message('b', 90_000)], { epoch: 0 });
    await engine.cancel(region, ['a', 'b'], { epoch: 0 });
    await engine.claim(region, { max: 1, leaseMs: 1_000, maxCrashes: 1 });
  }
  expect((usedMiB() - before) / 256).toBeLessThan(0.05);
});

it('size is the real number through cancels of every kind', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const engine = await openEngine(store, clock);
  const ids = Array.from({ length: 11 }, (_, i) => `m${i}`);
  await put(engine, ...ids.map((id) => message(id, 5)));
  clock.advance(5);
  const { lease = '', messages } = await claim(engine, 1);
  const own = messages[0]?.id ?? '';
  const cancel = (list: readonly string[]) => engine.cancel(REGION, list, { epoch: 0 });
  expect(await cancel([own])).toEqual(['running']);
  const others = ids.filter((id) => id !== own);
  expect(await cancel(others)).toEqual(others.map(() => 'cancelled'));
  expect(await cancel(others)).toEqual(others.map(() => 'unknown'));
  expect(store.size).toBe(1);
  const done = [{ id: own, verdict: 'done' as const }];
  await engine.settle(REGION, lease, done, { dedupeMs: 0 });
  await engine.settle(REGION, lease, done, { dedupeMs: 0 });
  expect(store.size).toBe(0);
  expect(store.stats()).toEqual(NOTHING);
});
