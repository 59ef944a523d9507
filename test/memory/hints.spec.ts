import { AsyncLocalStorage } from 'node:async_hooks';
import { MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put, REGION } from './support.js';

const clockAt = new TestClock();

it('come after the call that brought them about, never within it', async () => {
  const engine = await openEngine(new MemoryStore(), clockAt);
  const order: string[] = [];
  engine.watch(() => order.push('hint'));
  const sent = put(engine, message('a', 5));
  order.push('called');
  await sent;
  await expect.poll(() => order).toEqual(['called', 'hint']);
});

it('see no AsyncLocalStorage of whoever sent, moved or settled', async () => {
  const storage = new AsyncLocalStorage<string>();
  const engine = await openEngine(new MemoryStore(), clockAt);
  const seen: (string | undefined)[] = [];
  engine.watch(() => seen.push(storage.getStore()));
  await storage.run('of the sender', async () => {
    await put(engine, message('a', 500));
    await engine.reschedule(REGION, 'a', { delayMs: 5 }, { epoch: 0 });
  });
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

it('of one turn come once for a region, with its earliest time', async () => {
  const engine = await openEngine(new MemoryStore(), clockAt);
  const hints: number[] = [];
  engine.watch((_, at) => hints.push(at - clockAt.now()));
  await put(engine, message('a', 500), message('b', 20), message('c', 100));
  expect(hints).toEqual([20]);
});

it('reach every listener although one throws, which is logged', async () => {
  const errors: unknown[] = [];
  const logger = { log: () => undefined, warn: () => undefined, error: (text: string) => errors.push(text) };
  const engine = await openEngine(new MemoryStore(), clockAt, logger);
  let heard = 0;
  engine.watch(() => {
    throw new Error('a bug of the listener');
  });
  engine.watch(() => heard++);
  await put(engine, message('a', 1));
  expect(heard).toBe(1);
  expect(errors).toHaveLength(1);
});

it('are not sent for a move to a later time, nor for the earliest that goes', async () => {
  const engine = await openEngine(new MemoryStore(), clockAt);
  await put(engine, message('a', 10), message('b', 5_000));
  const hints: number[] = [];
  engine.watch((_, at) => hints.push(at - clockAt.now()));
  await engine.reschedule(REGION, 'a', { delayMs: 20 }, { epoch: 0 });
  await engine.cancel(REGION, ['a'], { epoch: 0 });
  await put(engine, message('c', 6_000));
  expect(hints).toEqual([]);
});

it('come when a retry or a resumed region is due before what a sleeper knows', async () => {
  const engine = await openEngine(new MemoryStore(), clockAt);
  await put(engine, message('a', 0), message('later', 90_000));
  const { lease = '' } = await claim(engine);
  const hints: number[] = [];
  engine.watch((_, at) => hints.push(at - clockAt.now()));
  await engine.settle(REGION, lease, [{ id: 'a', verdict: 'retry', delayMs: 70, failed: true }], {
    dedupeMs: 0,
  });
  expect(hints).toEqual([70]);
  await engine.inspector?.setPaused(REGION.topic, [0], true);
  await engine.inspector?.setPaused(REGION.topic, [0], false);
  expect(hints).toEqual([70, 70]);
});
