import { systemClock, type Clock } from '@delay-queue/core';
import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put } from './support.js';

/** A real clock, as far as the engine can tell, whose wall and monotonic time the test moves one by one. */
class SteppedClock implements Clock {
  wall = 1_750_000_000_000;
  elapsed = 5_000.25;

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  setTimer(): never {
    throw new Error('the memory engine arms no timer');
  }
}

it('runs on monotonic time: a wall clock set back or ahead changes nothing', async () => {
  const clock = new SteppedClock();
  const engine = await openEngine(new MemoryStore(), clock);
  await put(engine, message('a', 2_000));
  clock.wall -= 3_600_000;
  clock.elapsed += 1_999;
  expect((await claim(engine)).messages).toEqual([]);
  clock.elapsed += 1;
  expect((await claim(engine)).messages).toHaveLength(1);
  await put(engine, message('b', 2_000));
  clock.wall += 7_200_000;
  expect((await claim(engine)).messages).toEqual([]);
  clock.elapsed += 2_000;
  expect((await claim(engine)).messages).toHaveLength(1);
});

it('is never early by a fraction of a millisecond', async () => {
  const clock = new SteppedClock();
  const engine = await openEngine(new MemoryStore(), clock);
  for (let i = 0; i < 300; i++) {
    clock.elapsed += 0.37;
    const sentAt = clock.elapsed;
    await put(engine, message(`m${i}`, 10));
    while ((await claim(engine)).messages.length === 0) clock.elapsed += 0.05;
    expect(clock.elapsed - sentAt).toBeGreaterThanOrEqual(10);
    expect(clock.elapsed - sentAt).toBeLessThan(11.1);
  }
});

it('is kept by the store, whatever the wall clock of a later worker says', async () => {
  const store = new MemoryStore();
  const first = new SteppedClock();
  const engine = await openEngine(store, first);
  const late = new SteppedClock();
  late.wall += 86_400_000;
  const other = await openEngine(store, late);
  await put(other, message('a', 100));
  expect((await claim(other)).messages).toEqual([]);
  expect((await claim(engine)).now).toBe(first.wall);
  first.elapsed += 100;
  expect((await claim(other)).messages).toHaveLength(1);
});

it('rounds delays and moments up, and takes a moment in the past for now', async () => {
  const clock = new TestClock(1_000_000);
  const engine = await openEngine(new MemoryStore(), clock);
  const due = async (id: string) =>
    (await engine.inspector?.find({ topic: 'order:timeout', index: 0 }, id, { epoch: 0 })) as {
      dueAt: number;
    };
  await put(
    engine,
    message('fraction', 0.2),
    message('moment', 0, { due: { at: 1_000_009.1 } }),
    message('past', 0, { due: { at: 5 } }),
    message('far', Number.MAX_SAFE_INTEGER),
    message('date', 0, { due: { at: 8.64e15 } }),
  );
  expect((await due('fraction')).dueAt).toBe(1_000_001);
  expect((await due('moment')).dueAt).toBe(1_000_010);
  expect((await due('past')).dueAt).toBe(1_000_000);
  expect((await due('far')).dueAt).toBe(Number.MAX_SAFE_INTEGER);
  expect((await due('date')).dueAt).toBe(8.64e15);
});

it('cannot be two simulations, or one and the real time', () => {
  const store = new MemoryStore();
  const make = (clock: Clock) => memoryEngine({ store })({ namespace: 'test', clock, logger: console });
  make(new TestClock());
  for (const clock of [new TestClock(), systemClock]) {
    expect(() => make(clock)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  }
});
