import fc from 'fast-check';
import { VirtualClock, type SimulationMember } from '@delay-queue/core';
import { expect, test } from 'vitest';
import { ids, simulated } from './support/consuming.js';

test('stands still, in whole milliseconds', async () => {
  const clock = new VirtualClock(5_000);
  expect([clock.now(), clock.monotonic()]).toEqual([5_000, 0]);
  await clock.advance(0.5);
  expect([clock.now(), clock.monotonic()]).toEqual([5_001, 1]);
  await clock.advance('31m');
  expect(clock.monotonic()).toBe(31 * 60_000 + 1);
});

test.each([-1, 1.5, NaN, Infinity, 2 ** 60])('does not start at %s', (startAt) => {
  expect(() => new VirtualClock(startAt)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
});

test.each([-1, NaN, 'soon', '5'])('does not advance by %s', async (duration) => {
  await expect(new VirtualClock().advance(duration)).rejects.toMatchObject({ code: 'INVALID_DELAY' });
});

test('fires by time, then in order of arming, each at its time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(50), { maxLength: 40 }),
      fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
      async (delays, steps) => {
        const clock = new VirtualClock(0);
        const fired: [number, number][] = [];
        delays.forEach((ms, i) =>
          clock.setTimer(() => {
            expect(clock.now()).toBe(ms);
            fired.push([ms, i]);
          }, ms),
        );
        let total = 0;
        for (const step of steps) {
          await clock.advance(step);
          total += step;
        }
        const expected = delays.map((ms, i): [number, number] => [ms, i]).filter(([ms]) => ms <= total);
        expect(fired).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
      },
    ),
    { numRuns: 60 },
  );
});

test('timers armed by timers fire on the way', async () => {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  const again = () => {
    fired.push(clock.now());
    if (fired.length < 5) clock.setTimer(again, 100);
  };
  clock.setTimer(again, 100);
  await clock.advance(1_000);
  expect(fired).toEqual([100, 200, 300, 400, 500]);
});

test('a cancelled timer does not fire, nor twice, and can be cancelled again', async () => {
  const clock = new VirtualClock(0);
  let fired = 0;
  const one = clock.setTimer(() => fired++, 10);
  const two = clock.setTimer(() => fired++, 10);
  clock.setTimer(() => two.cancel(), 5);
  one.cancel();
  one.cancel();
  await clock.advance(100);
  two.cancel();
  expect(fired).toBe(0);
});

test('a timer of 0 fires soon, without an advance', async () => {
  const clock = new VirtualClock(0);
  let fired = false;
  clock.setTimer(() => (fired = true), 0);
  expect(fired).toBe(false);
  await expect.poll(() => fired).toBe(true);
});

test('a callback that throws stops neither the clock nor the others; the advance says so in the end', async () => {
  const clock = new VirtualClock(0);
  const fired: number[] = [];
  clock.setTimer(() => {
    throw new Error('broken timer');
  }, 10);
  clock.setTimer(() => fired.push(clock.now()), 10);
  clock.setTimer(() => fired.push(clock.now()), 20);
  await expect(clock.advance(30)).rejects.toThrow('broken timer');
  expect(fired).toEqual([10, 20]);
  expect(clock.now()).toBe(30);
  await clock.advance(10);
});

test('advances that overlap are carried out one after the other', async () => {
  const clock = new VirtualClock(0);
  const seen: string[] = [];
  clock.setTimer(() => seen.push(`timer ${clock.now()}`), 150);
  const first = clock.advance(100).then(() => seen.push(`first ${clock.now()}`));
  const second = clock.advance(100).then(() => seen.push(`second ${clock.now()}`));
  await Promise.all([first, second]);
  expect(seen).toEqual(['first 100', 'timer 150', 'second 200']);
});

test('makes no stop for idle timers, which fire at the next one', async () => {
  const clock = new VirtualClock(0);
  const stops: number[] = [];
  const member: SimulationMember = {
    settle: async () => {
      stops.push(clock.now());
      return true;
    },
  };
  clock.simulation.join(member);
  const fired: string[] = [];
  clock.setTimer(() => fired.push(`idle ${clock.now()}`), 10, { idle: true });
  clock.setTimer(() => fired.push(`real ${clock.now()}`), 50);
  clock.setTimer(() => fired.push(`late ${clock.now()}`), 80, { idle: true });
  await clock.advance(100);
  expect(fired).toEqual(['idle 50', 'real 50', 'late 100']);
  expect(stops).toEqual([0, 50, 100]);
});

test('goes on with rounds until no member takes anything up', async () => {
  const clock = new VirtualClock(0);
  let work = 3;
  const busy = {
    activity: 0,
    settle: async () => {
      if (work > 0) {
        work--;
        busy.activity++;
      }
      return true;
    },
  };
  let rounds = 0;
  clock.simulation.join(busy);
  const leave = clock.simulation.join({
    settle: async () => {
      rounds++;
      return true;
    },
  });
  await clock.advance(0);
  expect(work).toBe(0);
  expect(rounds).toBe(4);
  leave();
  await clock.advance(0);
  expect(rounds).toBe(4);
});

test('a year with a consumer and nothing due takes a handful of looks, and everything on the way is in order', async () => {
  const runs: [unknown, number][] = [];
  const { worker, clock } = simulated((content) => void runs.push([content, clock.now()]));
  await clock.advance(0);
  const looks = worker.engine.calls.claim;
  await clock.advance('366d');
  expect(worker.engine.calls.claim - looks).toBeLessThan(60);

  const start = clock.now();
  await worker.put('c', 300 * 86_400_000);
  await worker.put('a', 1);
  await worker.put('b', 2 ** 31);
  await clock.advance('366d');
  expect(runs).toEqual([
    ['a', start + 1],
    ['b', start + 2 ** 31],
    ['c', start + 300 * 86_400_000],
  ]);
});

test('waits for handlers of any length that make progress', async () => {
  let ended = 0;
  const { worker, clock } = simulated(
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      ended++;
    },
    { options: { consumer: { concurrency: 2 } } },
  );
  await worker.put(ids(50), 1_000);
  await clock.advance('1s'); // 1.5 s of real time
  expect(ended).toBe(50);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('waits one second for a hung handler, once; its time limit passes on the way', async () => {
  const started: number[] = [];
  const aborted: unknown[] = [];
  const { worker, clock } = simulated(
    (_, message) => {
      started.push(clock.now());
      message.signal.addEventListener('abort', () => aborted.push(message.signal.reason));
      return new Promise(() => undefined);
    },
    { options: { consumer: { timeout: '5m' }, retry: { attempts: 2, backoff: '1m' } } },
  );
  const start = clock.now();
  await worker.put('a', 0);
  const begun = performance.now();
  await clock.advance('1h');
  expect(performance.now() - begun).toBeLessThan(15_000); // a second a step would be a minute;
  expect(started.map((at) => at - start)).toEqual([0, 360_000]);
  expect(aborted).toMatchObject([{ name: 'AbortError', code: 'timed-out' }, { code: 'timed-out' }]);
  expect(worker.engine.calls.renew).toBeGreaterThanOrEqual(2 * 29);
  expect(await worker.find('a')).toMatchObject({ state: 'dead', failures: 2 });
});

test('handlers of several topics that set each other off are all waited for', async () => {
  const { MemoryStore } = await import('@delay-queue/memory');
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000);
  const runs: string[] = [];
  const b = simulated(() => void runs.push(`b ${clock.now()}`), { clock, store, topic: 'b' });
  const a = simulated(
    async () => {
      runs.push(`a ${clock.now()}`);
      await b.worker.put(`x${runs.length}`, 0);
    },
    { clock, store, topic: 'a' },
  );
  await a.worker.put('one', 10);
  await a.worker.put('two', 20);
  await clock.advance(15);
  expect(runs).toEqual(['a 1010', 'b 1010']);
  await clock.advance(15);
  expect(runs).toEqual(['a 1010', 'b 1010', 'a 1020', 'b 1020']);
});

test('a handler may wait for the clock itself', async () => {
  const runs: number[] = [];
  const { worker, clock } = simulated(async () => {
    await new Promise<void>((resolve) => clock.setTimer(resolve, 5_000));
    runs.push(clock.now());
  });
  const start = clock.now();
  await worker.put('a', 1_000);
  await clock.advance('1m');
  expect(runs).toEqual([start + 6_000]);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});
