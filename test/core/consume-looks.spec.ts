import { expect, test } from 'vitest';
import { MemoryStore } from '@delay-queue/memory';
import { VirtualClock } from '@delay-queue/core';
import { ids, simulated, Worker } from './support/consuming.js';
import { Door } from './support/door.js';

test('idle: one claim per region and one read of the registry at each safety look, nothing else', async () => {
  const worker = new Worker(() => undefined, {
    options: { regions: 3, consumer: { safetyLook: 100, concurrency: 30 } },
  }).start();
  await expect.poll(() => worker.engine.calls.claim).toBeGreaterThanOrEqual(3);
  const { claim, topology } = worker.engine.calls;
  await expect.poll(() => worker.engine.calls.topology - topology).toBeGreaterThanOrEqual(10);
  const calls = { ...worker.engine.calls };
  // Both go out in the same turn, so no moment shows one without the other.
  expect(calls.claim - claim).toBe(3 * (calls.topology - topology));
  expect(calls).toMatchObject({ settle: 0, renew: 0 });
});

test('a lost hint costs no more than a safety look', async () => {
  const runs: number[] = [];
  const worker = new Worker(() => void runs.push(performance.now()), {
    options: { consumer: { safetyLook: 300 } },
  }).start();
  await expect.poll(() => worker.engine.calls.claim).toBeGreaterThanOrEqual(5);
  worker.engine.deaf = true;
  const due = performance.now();
  await worker.put('a', 0);
  await expect.poll(() => runs.length, { interval: 5 }).toBe(1);
  expect((runs[0] ?? 0) - due).toBeLessThan(3_000);
});

test('regions that another process added are served as soon as a hint or a safety look tells of them', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000);
  const runs: unknown[] = [];
  const old = simulated((content) => void runs.push(content), { store, clock, options: { regions: 2 } });
  await clock.advance('1s');
  const other = new Worker(() => undefined, { store, clock, options: { regions: 9 } });
  await other.put(ids(100), 3_000);
  await clock.advance('3s');
  expect(new Set(runs).size).toBe(100);
  expect(await old.worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });

  old.worker.engine.deaf = true;
  const third = new Worker(() => undefined, { store, clock, options: { regions: 17 } });
  await third.put(ids(100, 'n'), 1_000);
  await clock.advance('6s');
  expect(new Set(runs).size).toBe(200);
});

test('a hint is not needed after a claim that found no room for all', async () => {
  let runs = 0;
  const worker = new Worker(async () => void runs++, {
    options: { consumer: { concurrency: 1, queueSize: 0, safetyLook: '30s' } },
  });
  await worker.put(ids(500), 0);
  worker.engine.deaf = true;
  worker.start();
  await expect.poll(() => runs).toBe(500);
});

test('slow handlers get nothing claimed ahead, and no slot stays empty', async () => {
  const starts: number[] = [];
  const held: number[] = [];
  const { worker, clock } = simulated(
    async () => {
      starts.push(clock.now());
      await new Promise<void>((resolve) => clock.setTimer(resolve, 60_000));
      held.push((await worker.counts()).running);
    },
    { options: { consumer: { concurrency: 4, queueSize: 64 } } },
  );
  const start = clock.now();
  await worker.put(ids(12), 0);
  await clock.advance('10m');
  expect(starts.map((at) => (at - start) / 60_000)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
  expect(Math.max(...held)).toBe(4);
});

test('what was claimed ahead is given back when handlers turn out slow', async () => {
  let hang = false;
  const door = new Door();
  const { worker, clock } = simulated(
    async () => {
      if (hang) await door.opened;
    },
    { options: { regions: 1, consumer: { concurrency: 2, queueSize: 64 } } },
  );
  await worker.put(ids(100), 0);
  await clock.advance(0);
  hang = true;
  await worker.put(ids(50, 'n'), 0);
  await clock.advance(1);
  expect((await worker.counts()).running).toBe(50);
  await clock.advance('2s');
  expect((await worker.counts()).running).toBe(2);
  hang = false;
  door.open();
  await clock.advance('5s');
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('under load claims are large, with fast handlers', async () => {
  let runs = 0;
  const worker = new Worker(async () => void runs++);
  await worker.put(ids(20_000), 0);
  worker.start();
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(20_000);
  expect(worker.engine.calls.claim).toBeLessThan(20_000 / 30);
  expect(worker.engine.calls.settle).toBeLessThan(20_000 / 30);
});

test('regions take turns: a full one does not starve the others', async () => {
  const order: number[] = [];
  const { worker, clock } = simulated(async (content) => void order.push(content as number), {
    options: { regions: 4, consumer: { concurrency: 1, queueSize: 0 } },
  });
  const map = await worker.registry.get(worker.topic);
  const byRegion = map.regions.map((index) => ids(5_000).filter((id) => map.home(id) === index));
  for (const [index, group] of byRegion.entries()) {
    await worker.put(group.slice(0, index === 0 ? 1_000 : 10), 0, String(index));
  }
  await clock.advance(0);
  expect(order).toHaveLength(1_030);
  const last = (index: number) => order.lastIndexOf(index);
  expect(Math.max(last(1), last(2), last(3))).toBeLessThan(60);
});

test('a topic whose handlers hang does not delay another', async () => {
  const store = new MemoryStore();
  const slow = new Worker(() => new Promise((resolve) => setTimeout(resolve, 100)), { store, topic: 'slow' });
  const late: number[] = [];
  const quick = new Worker((_, message) => void late.push(Date.now() - message.dueAt), {
    store,
    topic: 'quick',
  });
  await slow.put(ids(10_000), 0);
  slow.start();
  quick.start();
  for (let i = 0; i < 20; i++) await quick.put(`q${i}`, i * 50);
  await expect.poll(() => late.length).toBe(20);
  expect(Math.max(...late)).toBeLessThan(2_000);
  await slow.queue.drain();
});

test('two workers on one store share the work and double nothing', async () => {
  const store = new MemoryStore();
  const runs = new Map<unknown, number>();
  const count = async (content: unknown) => {
    runs.set(content, (runs.get(content) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const one = new Worker(count, { store });
  const two = new Worker(count, { store });
  await one.put(ids(2_000), 100);
  one.start();
  two.start();
  await expect.poll(() => runs.size, { timeout: 5_000 }).toBe(2_000);
  expect(Math.max(...runs.values())).toBe(1);
  await expect.poll(() => one.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  expect(one.engine.calls.settle).toBeGreaterThan(0);
  expect(two.engine.calls.settle).toBeGreaterThan(0);
});

test('the time of a retry is known without a hint', async () => {
  let runs = 0;
  const worker = new Worker(
    () => {
      if (runs++ === 0) throw new Error('once');
    },
    { properties: { backoffMs: () => 50, safetyLookMs: 60_000 } },
  );
  await worker.put('a', 0);
  worker.engine.deaf = true;
  worker.start();
  await expect.poll(() => runs).toBe(2);
});

test('several regions are asked at once, each by one claim at a time, never for more than fits', async () => {
  const underWay = new Map<number, number>();
  let most = 0;
  let mostAsked = 0;
  let runs = 0;
  const worker = new Worker(async () => void runs++);
  const claim = worker.engine.claim.bind(worker.engine);
  worker.engine.claim = async (region, options) => {
    expect(underWay.has(region.index)).toBe(false);
    underWay.set(region.index, options.max);
    most = Math.max(most, underWay.size);
    mostAsked = Math.max(
      mostAsked,
      [...underWay.values()].reduce((a, b) => a + b),
    );
    try {
      return await claim(region, options);
    } finally {
      underWay.delete(region.index);
    }
  };
  await worker.put(ids(5_000), 0);
  worker.start();
  await expect.poll(() => runs, { timeout: 10_000 }).toBe(5_000);
  expect(most).toBeGreaterThan(1);
  expect(mostAsked).toBeLessThanOrEqual(16 + 64);
});
