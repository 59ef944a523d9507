import { setTimeout as pass } from 'node:timers/promises';
import { VirtualClock } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { expect, test } from 'vitest';
import { ids, simulated, Worker } from './support/consuming.js';
import { Door } from './support/door.js';

const LEASE = { consumer: { lease: '30s', timeout: '1h' } } as const;

test('a lease is renewed for as long as its handler runs, and the message runs once', async () => {
  const door = new Door();
  let runs = 0;
  const { worker, clock } = simulated(
    async () => {
      runs++;
      await door.opened;
    },
    { options: LEASE },
  );
  await worker.put('a', 0);
  await clock.advance('150s');
  expect(worker.engine.calls.renew).toBeGreaterThanOrEqual(14);
  expect(worker.engine.calls.renew).toBeLessThanOrEqual(16);
  door.open();
  await clock.advance('1h');
  expect(runs).toBe(1);
  expect(worker.engine.calls.renew).toBeLessThanOrEqual(16);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('leases of one region are renewed in one call', async () => {
  const door = new Door();
  const { worker, clock } = simulated(() => door.opened, {
    options: { ...LEASE, regions: 1, consumer: { ...LEASE.consumer, concurrency: 50 } },
  });
  await worker.put(ids(20), 0);
  await clock.advance(0);
  await worker.put(ids(10, 'n'), 0);
  await clock.advance('1s');
  expect((await worker.counts()).running).toBe(30);
  const renewed: number[] = [];
  const renew = worker.engine.renew.bind(worker.engine);
  worker.engine.renew = (region, leases, leaseMs) => {
    renewed.push(leases.length);
    return renew(region, leases, leaseMs);
  };
  await clock.advance('10s');
  expect(renewed).toHaveLength(1);
  expect(renewed[0]).toBeGreaterThanOrEqual(2);
  door.open();
});

test('messages that are settled soon cost no renewal', async () => {
  const { worker, clock } = simulated(async () => undefined, { options: LEASE });
  await worker.put(ids(500), 5_000);
  await clock.advance('1h');
  expect(worker.engine.calls.renew).toBe(0);
});

test('losing the lease aborts the signal; the other worker runs it, and the late result changes nothing', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const door = new Door();
  const reasons: unknown[] = [];
  const one = simulated(
    async (_, message) => {
      message.signal.addEventListener('abort', () => reasons.push(message.signal.reason));
      await door.opened;
    },
    { clock, store, options: LEASE },
  );
  await one.worker.put('a', 0);
  await clock.advance(0);

  const crashes: number[] = [];
  simulated((_, message) => void crashes.push(message.crashes, message.attempt), {
    clock,
    store,
    options: LEASE,
  });
  one.worker.engine.trouble('away', 'renew', 'claim');
  await clock.advance('29s');
  expect(reasons).toEqual([]);
  await clock.advance('2s');
  expect(reasons).toMatchObject([{ name: 'AbortError', code: 'lease-expired' }]);
  expect(crashes).toEqual([1, 2]);

  one.worker.engine.recover();
  await clock.advance('5s');
  door.open();
  await clock.advance('1m');
  expect(crashes).toEqual([1, 2]);
  const warnings = one.worker.log.of('warn', /lease was lost/);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.details).toMatchObject({ topic: 'order:timeout', ids: ['a'] });
  expect(await one.worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a late settle of a lost lease is reported once', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const door = new Door();
  const one = simulated(() => door.opened, { clock, store, options: { ...LEASE, regions: 1 } });
  await one.worker.put(ids(5), 0);
  await clock.advance(0);
  const two = simulated(() => undefined, { clock, store, options: { ...LEASE, regions: 1 } });
  one.worker.engine.trouble('away', 'renew', 'claim', 'settle');
  await clock.advance('35s');
  door.open();
  await clock.advance('1s');
  one.worker.engine.trouble('away', 'renew', 'claim');
  await clock.advance('1m');
  expect(one.worker.log.of('warn', /lease was lost/)).toHaveLength(1);
  expect(await two.worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a lease that expired here but is found held by a later renewal still counts', async () => {
  const door = new Door();
  const reasons: unknown[] = [];
  let runs = 0;
  const { worker, clock } = simulated(
    async (_, message) => {
      runs++;
      message.signal.addEventListener('abort', () => reasons.push(message.signal.reason));
      await door.opened;
    },
    { options: LEASE },
  );
  await worker.put('a', 0);
  await clock.advance(0);
  worker.engine.trouble('away', 'renew', 'claim');
  await clock.advance('40s');
  expect(reasons).toHaveLength(1);
  // Nobody looked meanwhile, so the store has not given it away.
  worker.engine.trouble('away', 'claim');
  await clock.advance('5s');
  door.open();
  await clock.advance('1s');
  worker.engine.recover();
  await clock.advance('1h');
  expect(runs).toBe(1);
  expect(worker.log.of('warn', /lease was lost/)).toEqual([]);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('nothing starts of a claim whose answer came after its lease had expired', async () => {
  let runs = 0;
  const { worker, clock } = simulated(() => void runs++, { options: { ...LEASE, regions: 1 } });
  await worker.put('a', 1_000);
  await clock.advance(0);
  worker.engine.trouble('stall', 'claim');
  await clock.advance('31s');
  expect(runs).toBe(0);
  const { settled } = worker.engine;
  worker.engine.recover();
  await expect.poll(() => settled.length).toBeGreaterThan(0);
  expect(settled[0]).toEqual([{ id: 'a', verdict: 'release', started: false }]);
  await clock.advance('1s');
  expect(runs).toBe(1);
});

test('what waits for a slot when its lease expires is not started', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const started: string[] = [];
  const door = new Door();
  const one = simulated(
    async (_, message) => {
      started.push(message.id);
      if (started.length > 5) await door.opened;
    },
    {
      clock,
      store,
      options: { ...LEASE, regions: 1, consumer: { ...LEASE.consumer, concurrency: 1, queueSize: 10 } },
    },
  );
  await one.worker.put(ids(5), 0);
  await clock.advance('1s');
  await one.worker.put(ids(8, 'n'), 0);
  one.worker.engine.trouble((method) => (method === 'settle' || method === 'renew' ? 'away' : undefined));
  await clock.advance(1);
  expect(started).toHaveLength(6);
  expect((await one.worker.counts()).running).toBeGreaterThan(1);
  await clock.advance('31s');
  door.open();
  one.worker.engine.recover();
  await clock.advance('2m');
  expect(new Set(started.slice(5)).size).toBe(8);
  expect(await one.worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a handler over its time limit is aborted, its slot freed, its message retried, its late result ignored', async () => {
  const door = new Door();
  const attempts: number[] = [];
  const { worker, clock } = simulated(
    async (_, message) => {
      attempts.push(message.attempt);
      if (message.id === 'hung' && message.attempt === 1) await door.opened;
    },
    { options: { consumer: { concurrency: 1, timeout: '10s' }, retry: { backoff: '1m' } } },
  );
  await worker.put('hung', 0);
  await clock.advance(0);
  await worker.put('next', 0);
  await clock.advance('9s');
  expect(attempts).toEqual([1]);
  await clock.advance('2s');
  expect(attempts).toEqual([1, 1]);
  expect(worker.log.of('warn')[0]?.details).toMatchObject({ id: 'hung', attempt: 1 });
  expect(await worker.find('hung')).toMatchObject({ state: 'waiting', failures: 1 });
  door.open();
  await clock.advance('30s');
  expect(await worker.find('hung')).toMatchObject({ state: 'waiting', failures: 1 });
  await clock.advance('1m');
  expect(attempts).toEqual([1, 1, 2]);
  const verdicts = worker.engine.settled.flat().filter(({ id }) => id === 'hung');
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['retry', 'done']);
  expect(worker.log.of('warn', /lease was lost/)).toEqual([]);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('every handler over its time limit is aborted, also of several that started together', async () => {
  const aborted: string[] = [];
  const { worker, clock } = simulated(
    (_, message) => {
      message.signal.addEventListener('abort', () => aborted.push(message.id));
      return new Promise(() => undefined);
    },
    { options: { consumer: { timeout: '10s' }, retry: { attempts: 1 } } },
  );
  await worker.put(ids(5), 0);
  await clock.advance('10s');
  expect(aborted.toSorted()).toEqual(ids(5));
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 5 });
});

test('a renewal that finds the lease lost aborts what runs of it and drops what waits', async () => {
  const door = new Door();
  const started: string[] = [];
  const reasons: unknown[] = [];
  const { worker, clock } = simulated(
    async (_, message) => {
      started.push(message.id);
      message.signal.addEventListener('abort', () => reasons.push(message.signal.reason));
      if (started.length === 6) await door.opened;
    },
    { options: { ...LEASE, regions: 1, consumer: { ...LEASE.consumer, lease: '1s', concurrency: 1 } } },
  );
  await worker.put(ids(5), 0);
  await clock.advance('1s');
  await worker.put(ids(8, 'n'), 0);
  await clock.advance(0);
  expect(started).toHaveLength(6);
  expect((await worker.counts()).running).toBe(8);
  worker.engine.renew = (_, leases) => Promise.resolve(leases);
  await clock.advance(400);
  expect(reasons).toMatchObject([{ code: 'lease-expired' }]);
  expect(worker.log.of('warn', /lease was lost/).map(({ details }) => details['ids'])).toEqual([
    [started[5]],
  ]);
  const settles = worker.engine.calls.settle;
  door.open();
  await clock.advance(100);
  // What was of that lease is not started, and nothing is sent for it: the store would not take it.
  expect(started).toHaveLength(6);
  expect(worker.engine.calls.settle).toBe(settles);
  // The store, which only pretended, gives them out again when the lease has run out.
  await clock.advance('1h');
  expect(new Set(started).size).toBe(13);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a handler that lets no timer through sees at its signal that the lease is over', async () => {
  const seen: boolean[] = [];
  const worker = new Worker(
    (_, message) => {
      const begun = performance.now();
      const aborted = (afterMs: number) => {
        while (performance.now() - begun < afterMs);
        seen.push(message.signal.aborted);
      };
      aborted(0);
      aborted(1_100);
    },
    { options: { consumer: { lease: '1s' } } },
  );
  worker.start();
  await worker.put('a', 0);
  await expect.poll(() => seen).toEqual([false, true]);
});

test('of messages whose leases were lost twice one runs at a time, beside any others', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const options = { ...LEASE, regions: 1 };
  const dead = new Worker(() => undefined, { store, clock, options });
  await dead.put(ids(6, 'suspect'), 0);
  // Each claim gives back what the one before held, and takes it again, as far as it is due at once.
  for (let claims = 0; claims < 3; claims++) {
    await dead.engine.claim({ topic: dead.topic, index: 0 }, { max: 6, leaseMs: 1_000, maxCrashes: 5 });
    await clock.advance('10s');
  }
  await dead.put(ids(20, 'other'), 0);

  const running = new Set<string>();
  const beside: { suspects: number; all: number }[] = [];
  const { worker } = simulated(
    async (_, { id }) => {
      running.add(id);
      const suspects = [...running].filter((each) => each.startsWith('suspect')).length;
      beside.push({ suspects, all: running.size });
      await pass(20);
      running.delete(id);
    },
    { store, clock, options },
  );
  for (let seconds = 0; seconds < 10; seconds++) await clock.advance('1s');
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  expect(Math.max(...beside.map(({ suspects }) => suspects))).toBe(1);
  expect(Math.max(...beside.map(({ all }) => all))).toBeGreaterThan(8);
  expect(beside).toHaveLength(26);
});
