import { VirtualClock } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { expect, test } from 'vitest';
import { ids, simulated, Worker } from './support/consuming.js';
import { Door } from './support/door.js';

test('starts while the store is away, and consumes as soon as it is there', async () => {
  const runs: unknown[] = [];
  const worker = new Worker((content) => void runs.push(content));
  await worker.put('a', 0);
  worker.engine.trouble('away');
  worker.start();
  await expect.poll(() => worker.engine.calls.claim).toBeGreaterThan(5);
  worker.engine.recover();
  await expect.poll(() => runs).toEqual(['a']);
  expect(worker.log.of('error')).toHaveLength(1);
  await expect.poll(() => worker.log.of('log')).toHaveLength(1);
});

test('with the registry away too', async () => {
  const runs: unknown[] = [];
  const store = new Worker(() => undefined, { topic: 'other' });
  const worker = new Worker((content) => void runs.push(content));
  worker.engine.trouble('away');
  worker.start();
  await expect.poll(() => worker.engine.calls.topology).toBeGreaterThan(2);
  worker.engine.recover();
  await worker.put('a', 0);
  await expect.poll(() => runs).toEqual(['a']);
  expect(store.log.lines).toEqual([]);
});

test('backs off while the store is away: few calls, one line, full recovery', async () => {
  let runs = 0;
  const { worker, clock } = simulated(() => void runs++);
  await worker.put(ids(100), 60_000);
  await clock.advance('1s');
  worker.engine.trouble('away');
  const before = worker.engine.calls.claim;
  await clock.advance('1h');
  expect(worker.engine.calls.claim - before).toBeLessThan(200);
  expect(worker.log.of('error')).toHaveLength(1);
  expect(runs).toBe(0);
  worker.engine.recover();
  await clock.advance('5s');
  expect(runs).toBe(100);
  expect(worker.log.of('log')).toHaveLength(1);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('in real time the calls of a failing region come ever further apart', async () => {
  const at: number[] = [];
  const worker = new Worker(() => undefined, { options: { regions: 1 } });
  worker.engine.trouble((method) => {
    if (method !== 'claim') return undefined;
    at.push(performance.now());
    return 'away';
  });
  worker.start();
  await expect.poll(() => at.length).toBeGreaterThanOrEqual(6);
  const apart = at.slice(1, 6).map((time, i) => time - (at[i] ?? 0));
  // At least half of 100, 200 … 1,600 ms.
  for (const [i, least] of [50, 100, 200, 400, 800].entries())
    expect(apart[i]).toBeGreaterThanOrEqual(least - 1);
});

test('one failing region does not stop the others', async () => {
  const runs = new Set<unknown>();
  const worker = new Worker((content) => void runs.add(content));
  worker.engine.trouble((method, region) => (method === 'claim' && region?.index === 2 ? 'away' : undefined));
  const map = await worker.registry.get(worker.topic);
  const all = ids(200);
  await worker.put(all, 0);
  worker.start();
  const reachable = all.filter((id) => map.home(id) !== 2);
  await expect.poll(() => runs.size).toBe(reachable.length);
  worker.engine.recover();
  await expect.poll(() => runs.size).toBe(200);
});

test.each(['away', 'full', 'lose', 'broken'] as const)(
  'a settle that meets "%s" is repeated, and nothing is run again because of it',
  async (trouble) => {
    const runs: unknown[] = [];
    const { worker, clock } = simulated((content) => void runs.push(content), {
      options: { consumer: { lease: '30s' } },
    });
    await worker.put(ids(50), 0);
    worker.engine.trouble(trouble, 'settle');
    await clock.advance('2m');
    expect(runs).toHaveLength(50);
    worker.engine.recover();
    await clock.advance('1h');
    expect(runs).toHaveLength(50);
    expect(worker.log.of('warn')).toEqual([]);
    expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  },
);

test('does not pile up verdicts without end while settles are refused', async () => {
  let runs = 0;
  const { worker, clock } = simulated(() => void runs++);
  await worker.put(ids(5_000), 0);
  worker.engine.trouble('full', 'settle');
  await clock.advance('1m');
  expect(runs).toBeGreaterThan(500);
  expect(runs).toBeLessThan(1_500);
  worker.engine.recover();
  await clock.advance('5s');
  expect(runs).toBe(5_000);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a call that is never answered does not hold its region for ever', async () => {
  const runs: unknown[] = [];
  const worker = new Worker((content) => void runs.push(content), {
    options: { regions: 1, consumer: { lease: '1s' } },
  });
  await worker.put('a', 0);
  let stalled = false;
  worker.engine.trouble((method) => {
    if (method !== 'claim' || stalled) return undefined;
    stalled = true;
    return 'stall';
  });
  worker.start();
  await expect.poll(() => runs).toEqual(['a']);
  await worker.put('b', 5_000);
  worker.engine.recover();
  await expect.poll(() => worker.counts()).toEqual({ waiting: 1, running: 0, dead: 0 });
});

test('random faults lose nothing and repeat only what was run without an answer', async () => {
  const done = new Map<unknown, number>();
  const clock = new VirtualClock(1_000_000);
  const { worker } = simulated((content) => void done.set(content, (done.get(content) ?? 0) + 1), {
    clock,
    options: { consumer: { lease: '30s' } },
  });
  await worker.put(ids(300), 0);
  for (let i = 0; i < 20; i++) {
    await worker.put(ids(50, `r${i}-`), i * 1_000);
  }
  const kinds = ['away', 'full', 'broken', undefined, undefined] as const;
  let n = 0;
  worker.engine.trouble(() => kinds[(n++ * 7) % 5]);
  await clock.advance('30s');
  worker.engine.recover();
  await clock.advance('10m');
  expect(done.size).toBe(1_300);
  expect(Math.max(...done.values())).toBe(1);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('what only a newer version can read is given back uncounted for 30 s, and said once; engine dead letters are logged', async () => {
  const { worker, clock } = simulated(() => undefined, { options: { regions: 1 } });
  const claim = worker.engine.claim.bind(worker.engine);
  worker.engine.claim = async (region, options) => {
    const found = await claim(region, options);
    if (found.lease === undefined) return found;
    const dead = [{ id: 'lost', reason: 'lost content' }];
    return { ...found, messages: [], unreadable: found.messages.map(({ id }) => id), dead };
  };
  await worker.put('new', 0);
  await clock.advance('70s');
  expect(worker.engine.settled.flat()).toEqual(
    Array.from({ length: 3 }, () => ({ id: 'new', verdict: 'release', started: false, delayMs: 30_000 })),
  );
  expect(worker.log.of('warn', /newer version/)).toHaveLength(1);
  expect(worker.log.of('error')[0]?.details).toMatchObject({ id: 'lost', error: 'lost content' });
  expect(await worker.find('new')).toMatchObject({ state: 'waiting', deliveries: 0, failures: 0 });
});

test('a renewal that failed is no trouble any more when its message is settled: the next outage is told', async () => {
  const door = new Door();
  const { worker, clock } = simulated(() => door.opened, { options: { consumer: { lease: '30s' } } });
  await worker.put('a', 0);
  worker.engine.trouble('away', 'renew');
  await clock.advance('12s');
  expect(worker.log.of('error')).toHaveLength(1);
  door.open();
  await clock.advance('5s');
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
  expect(worker.log.of('log')).toHaveLength(1);
  worker.engine.trouble('away');
  await clock.advance('10s');
  expect(worker.log.of('error')).toHaveLength(2);
});

test('a settle that failed is no trouble any more when its lease turns out lost', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const options = { consumer: { lease: '30s' } } as const;
  const { worker } = simulated(() => undefined, { clock, store, options });
  worker.engine.trouble('away', 'settle', 'renew');
  await worker.put('a', 0);
  await clock.advance('1s');
  expect(worker.log.of('error')).toHaveLength(1);
  simulated(() => undefined, { clock, store, options });
  worker.engine.trouble('away', 'settle', 'renew', 'claim');
  await clock.advance('40s');
  worker.engine.trouble('away', 'settle');
  await clock.advance('10s');
  expect(worker.log.of('log')).toHaveLength(1);
});
