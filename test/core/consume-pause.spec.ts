import { expect, test } from 'vitest';
import { MemoryStore } from '@delay-queue/memory';
import { VirtualClock } from '@delay-queue/core';
import { ids, simulated, Worker } from './support/consuming.js';
import { Door } from './support/door.js';

test('nothing runs while paused; after the resume everything that was due runs once', async () => {
  const runs: unknown[] = [];
  const { worker, clock } = simulated((content) => void runs.push(content));
  await worker.setPaused(true);
  await worker.put(ids(100), 1_000);
  const claims = worker.engine.calls.claim;
  await clock.advance('1h');
  expect(runs).toEqual([]);
  expect(worker.engine.calls.claim - claims).toBeLessThan(60);
  await worker.setPaused(false);
  await clock.advance(0);
  expect(new Set(runs).size).toBe(100);
  expect(runs).toHaveLength(100);
});

test('a pause made before the boot holds', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock();
  let runs = 0;
  const boss = new Worker(() => undefined, { store, clock });
  await boss.put(ids(10), 0);
  await boss.setPaused(true);
  simulated(() => void runs++, { store, clock });
  await clock.advance('1h');
  expect(runs).toBe(0);
  await boss.setPaused(false);
  await clock.advance(0);
  expect(runs).toBe(10);
});

test('in real time a resume is noticed by its hint', async () => {
  const runs: unknown[] = [];
  const worker = new Worker((content) => void runs.push(content), { properties: { safetyLookMs: 60_000 } });
  await worker.setPaused(true);
  await worker.put('a', 0);
  worker.start();
  await expect.poll(() => worker.engine.calls.claim).toBeGreaterThanOrEqual(5);
  await worker.setPaused(false);
  await expect.poll(() => runs).toEqual(['a']);
});

test('and without a hint at the next safety look', async () => {
  const runs: unknown[] = [];
  const worker = new Worker((content) => void runs.push(content), {
    options: { consumer: { safetyLook: 300 } },
  });
  worker.engine.deaf = true;
  await worker.setPaused(true);
  await worker.put('a', 0);
  worker.start();
  await expect.poll(() => worker.engine.calls.claim).toBeGreaterThanOrEqual(5);
  await worker.setPaused(false);
  await expect.poll(() => runs).toEqual(['a']);
});

test('a pause gives back what has not started and lets the rest end', async () => {
  const door = new Door();
  const started: string[] = [];
  const worker = new Worker(
    async (_, message) => {
      started.push(message.id);
      if (started.length > 10) await door.opened;
    },
    { options: { regions: 1, consumer: { concurrency: 2, queueSize: 30, safetyLook: 100 } } },
  );
  await worker.put(ids(10), 0);
  worker.start();
  await expect.poll(() => started.length).toBe(10);
  await worker.put(ids(30, 'n'), 0);
  await expect.poll(async () => (await worker.counts()).running).toBeGreaterThan(10);
  await worker.setPaused(true);
  await expect.poll(() => worker.counts()).toEqual({ waiting: 28, running: 2, dead: 0 });
  door.open();
  await expect.poll(() => worker.counts()).toEqual({ waiting: 28, running: 0, dead: 0 });
  expect(started).toHaveLength(12);
  await worker.setPaused(false);
  await expect.poll(() => worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  expect(new Set(started).size).toBe(40);
  expect(started).toHaveLength(40);
});

test('one region that stays paused neither spins nor stops the others', async () => {
  const runs: unknown[] = [];
  const { worker, clock } = simulated((content) => void runs.push(content));
  const map = await worker.registry.get(worker.topic);
  await worker.engine.inspector?.setPaused(worker.topic, map.regions, true);
  await worker.put(ids(100), 0);
  await clock.advance('1s');
  await worker.engine.inspector?.setPaused(worker.topic, map.regions.slice(1), false);
  await clock.advance('1s');
  expect(runs).toHaveLength(ids(100).filter((id) => map.home(id) !== 0).length);
  const before = worker.engine.calls.claim;
  await clock.advance('10s');
  expect(worker.engine.calls.claim - before).toBeLessThan(60);
});

test('a claim that finds the topic paused is enough, without the registry', async () => {
  const door = new Door();
  const started: string[] = [];
  const { worker, clock } = simulated(
    async (_, message) => {
      started.push(message.id);
      if (started.length > 10) await door.opened;
    },
    { options: { regions: 1, consumer: { concurrency: 2, queueSize: 40 } } },
  );
  await worker.put(ids(10), 0);
  await clock.advance(0);
  await worker.put(ids(12, 'n'), 0);
  await clock.advance(0);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 12, dead: 0 });
  worker.engine.trouble('away', 'topology');
  await worker.setPaused(true);
  await clock.advance(0);
  expect(await worker.counts()).toEqual({ waiting: 10, running: 2, dead: 0 });
  door.open();
});
