import { setTimeout as pass } from 'node:timers/promises';
import { RetryLater, VirtualClock } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { expect, test } from 'vitest';
import { ids, simulated, Worker } from './support/consuming.js';
import { Door } from './support/door.js';

const ONE = { regions: 1 } as const;

async function runningOne(end: () => unknown, drain: string | number = '10s') {
  const door = new Door();
  let running = false;
  const aborted: unknown[] = [];
  const worker = new Worker(
    async (_, message) => {
      running = true;
      message.signal.addEventListener('abort', () => aborted.push(message.signal.reason));
      await door.opened;
      return end();
    },
    { options: { ...ONE, consumer: { drain }, retry: { backoff: '1m' } } },
  ).start();
  await worker.put('a', 0);
  await expect.poll(() => running).toBe(true);
  return { worker, door, aborted };
}

test('waits for a running handler and settles it', async () => {
  const { worker, door } = await runningOne(() => undefined);
  const draining = worker.queue.drain();
  expect(worker.queue.drain()).toBe(draining);
  door.open();
  await draining;
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('records a failure while draining', async () => {
  const { worker, door } = await runningOne(() => {
    throw new Error('late');
  });
  const draining = worker.queue.drain();
  door.open();
  await draining;
  expect(await worker.find('a')).toMatchObject({ state: 'waiting', deliveries: 1, failures: 1 });
});

test('records a RetryLater while draining', async () => {
  const { worker, door } = await runningOne(() => {
    throw new RetryLater('1h');
  });
  const draining = worker.queue.drain();
  door.open();
  await draining;
  expect(await worker.find('a')).toMatchObject({ state: 'waiting', deliveries: 1, failures: 0 });
});

test('a handler that never ends is aborted at the drain time, its message given back and taken by others at once', async () => {
  const { worker, aborted } = await runningOne(() => undefined, 100);
  const begun = performance.now();
  await worker.queue.drain();
  expect(performance.now() - begun).toBeGreaterThanOrEqual(95);
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(aborted).toMatchObject([{ code: 'draining' }]);
  expect(await worker.find('a')).toMatchObject({ state: 'waiting', deliveries: 1, failures: 0, crashes: 0 });
});

test('claims nothing any more and gives back what has not started, uncounted', async () => {
  const door = new Door();
  const started: string[] = [];
  const worker = new Worker(
    async (_, message) => {
      started.push(message.id);
      if (started.length > 10) await door.opened;
    },
    { options: { ...ONE, consumer: { concurrency: 2, queueSize: 20 } } },
  );
  await worker.put(ids(10), 0);
  worker.start();
  await expect.poll(() => started.length).toBe(10);
  await worker.put(ids(30, 'n'), 0);
  await expect.poll(() => started.length).toBe(12);
  await expect.poll(async () => (await worker.counts()).running).toBeGreaterThan(2);
  const draining = worker.queue.drain();
  const claims = worker.engine.calls.claim;
  await expect.poll(() => worker.counts()).toEqual({ waiting: 28, running: 2, dead: 0 });
  expect((await worker.find('n29'))?.deliveries).toBe(0);
  door.open();
  await draining;
  expect(worker.engine.calls.claim).toBe(claims);
  expect(await worker.counts()).toEqual({ waiting: 28, running: 0, dead: 0 });
});

test('what a claim brings that was under way is given back', async () => {
  let runs = 0;
  const worker = new Worker(() => void runs++, { options: ONE }).start();
  await expect.poll(() => worker.engine.calls.claim).toBe(1);
  worker.engine.trouble('stall', 'claim');
  await worker.put('a', 0);
  await expect.poll(() => worker.engine.calls.claim).toBe(2);
  const draining = worker.queue.drain();
  worker.engine.recover();
  await draining;
  expect(runs).toBe(0);
  expect(await worker.find('a')).toMatchObject({ state: 'waiting', deliveries: 0 });
});

test('what a claim brings after the drain has ended is given back too', async () => {
  const worker = new Worker(() => undefined, { options: { ...ONE, consumer: { drain: 100 } } }).start();
  await expect.poll(() => worker.engine.calls.claim).toBe(1);
  worker.engine.trouble('stall', 'claim');
  await worker.put('a', 0);
  await expect.poll(() => worker.engine.calls.claim).toBe(2);
  await worker.queue.drain();
  expect(worker.engine.settled).toEqual([]);
  worker.engine.recover();
  await expect.poll(() => worker.engine.settled).toEqual([[{ id: 'a', verdict: 'release', started: false }]]);
  await expect.poll(() => worker.counts()).toEqual({ waiting: 1, running: 0, dead: 0 });
});

test.each(['away', 'stall', 'broken'] as const)(
  'with a store that is %s it ends in time all the same',
  async (trouble) => {
    const { worker, door } = await runningOne(() => undefined, 300);
    worker.engine.trouble(trouble);
    const begun = performance.now();
    const draining = worker.queue.drain();
    door.open();
    await draining;
    expect(performance.now() - begun).toBeLessThan(5_000);
  },
);

test('what is left of the drain time is used for verdicts: a store that is away for a while hears them', async () => {
  const { worker, door } = await runningOne(() => undefined);
  worker.engine.trouble('away');
  const begun = performance.now();
  const draining = worker.queue.drain();
  door.open();
  await expect.poll(() => worker.engine.calls.settle).toBeGreaterThanOrEqual(2);
  await pass(1_200);
  worker.engine.recover();
  await draining;
  expect(performance.now() - begun).toBeGreaterThanOrEqual(1_200);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a settle that is refused for a moment while draining is repeated', async () => {
  const { worker, door } = await runningOne(() => undefined);
  worker.engine.trouble('away');
  const draining = worker.queue.drain();
  door.open();
  await expect.poll(() => worker.engine.calls.settle).toBeGreaterThanOrEqual(2);
  worker.engine.recover();
  await draining;
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('before the start, and a start afterwards, do nothing', async () => {
  const worker = new Worker(() => undefined);
  await worker.queue.drain();
  worker.start();
  worker.queue.hint(0, 0);
  expect(worker.engine.calls).toMatchObject({ topology: 0, claim: 0 });
});

test('while the registry is away it ends at once', async () => {
  const worker = new Worker(() => undefined);
  worker.engine.trouble('away');
  worker.start();
  await expect.poll(() => worker.engine.calls.topology).toBeGreaterThan(0);
  const begun = performance.now();
  await worker.queue.drain();
  expect(performance.now() - begun).toBeLessThan(5_000);
});

test('leaves no timers', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const { worker, door } = await runningOne(() => undefined);
  expect(timers()).toBeGreaterThan(before);
  door.open();
  await worker.queue.drain();
  expect(timers()).toBeLessThanOrEqual(before);
});

test('under a simulated clock it waits one second of real time at most', async () => {
  const { worker, clock } = simulated(() => new Promise(() => undefined), {
    clock: new VirtualClock(),
    store: new MemoryStore(),
    options: { consumer: { drain: '10s' } },
  });
  await worker.put('a', 0);
  await clock.advance(0);
  const begun = performance.now();
  await worker.queue.drain();
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(await worker.find('a')).toMatchObject({ state: 'waiting', deliveries: 1, failures: 0 });
  await clock.advance('1h');
});

test('leases are kept while draining', async () => {
  const { worker, clock } = simulated(() => new Promise(() => undefined));
  await worker.put('a', 0);
  await clock.advance(0);
  const draining = worker.queue.drain();
  await clock.advance('25s');
  expect(worker.engine.calls.renew).toBeGreaterThan(0);
  await draining;
});
