import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimingWheel } from '../../packages/memory/src/wheel/timing-wheel.js';
import { SortedList } from './wheel-reference.js';

const SECOND = 2 ** 10;
const QUARTER = 2 ** 20;
const RING = 2 ** 30;

/** Starts at which the bits of the time itself are about to carry: slots, levels, 2^31, 2^32, the last number. */
const starts = fc.oneof(
  fc.constantFrom(0, 1, 1_750_000_000_000, 2 ** 31 - 3, 2 ** 32 - 3, 2 ** 41 - 1, 2 ** 52),
  fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: -3, max: 3 })).map(([k, d]) => k * RING + d),
  fc.integer({ min: 0, max: 2 ** 45 }),
);

const spans = [1, SECOND, QUARTER, RING, RING - QUARTER, 2 ** 31, 2 ** 32, 366 * 86_400_000];
const delays = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc
    .tuple(fc.constantFrom(...spans), fc.integer({ min: 1, max: 5 }), fc.integer({ min: -2, max: 2 }))
    .map(([span, k, d]) => span * k + d),
  fc.integer({ min: 0, max: 3 * SECOND }),
  fc.integer({ min: 0, max: 3 * QUARTER }),
  fc.integer({ min: 0, max: 2 ** 33 }),
);

type Step =
  | { readonly do: 'insert'; readonly delay: number }
  | { readonly do: 'move'; readonly which: number; readonly delay: number }
  | { readonly do: 'remove'; readonly which: number }
  | { readonly do: 'advance'; readonly by: number; readonly take: number }
  | { readonly do: 'jump'; readonly off: number; readonly take: number };

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('insert' as const), delay: delays }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), which: fc.nat(), delay: delays }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat() }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('advance' as const), by: delays, take: fc.nat({ max: 20 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('jump' as const),
        off: fc.integer({ min: -1, max: 1 }),
        take: fc.nat({ max: 20 }),
      }),
    },
  ),
  { maxLength: 120 },
) as fc.Arbitrary<Step[]>;

/** Drives both with the same steps; `late` allows entries that are due before one that is ready already. */
function compare(start: number, script: readonly Step[], late: boolean): void {
  const wheel = new TimingWheel<number>(start);
  const list = new SortedList<number>();
  const handles: [wheel: number, list: number][] = [];
  let now = start;
  let value = 0;
  const insert = (delay: number) => {
    const dueAt = Math.min(late ? now + delay : Math.max(now, now + delay), Number.MAX_SAFE_INTEGER);
    value++;
    handles.push([wheel.insert(dueAt, value), list.insert(dueAt, value)]);
  };
  const remove = (which: number) => {
    const pair = handles[which % Math.max(1, handles.length)];
    if (pair !== undefined) expect(wheel.remove(pair[0])).toBe(list.remove(pair[1]));
  };
  const take = (most: number) => {
    for (let i = 0; i < most; i++) {
      if (late) {
        // Among equal due times a late one may come after; the due times themselves agree.
        expect(wheel.nextAt()).toBe(list.nextAt());
        const taken = wheel.take(now);
        if (taken === undefined) expect(list.take(now)).toBe(undefined);
        else {
          const found = list.entries().find(([other]) => other === taken);
          expect(found?.[1]).toBe(list.nextAt());
          expect(found?.[1]).toBeLessThanOrEqual(now);
          const handle = handles[taken - 1]?.[1] ?? 0;
          list.remove(handle);
        }
      } else {
        expect(wheel.take(now)).toBe(list.take(now));
      }
    }
  };
  for (const step of script) {
    if (step.do === 'insert') insert(step.delay);
    else if (step.do === 'remove') remove(step.which);
    else if (step.do === 'move') {
      remove(step.which);
      insert(step.delay);
    } else {
      const next = list.nextAt();
      const target = step.do === 'advance' ? now + step.by : next === Infinity ? now : next + step.off;
      now = Math.min(Math.max(now, target), Number.MAX_SAFE_INTEGER);
      wheel.advance(now);
      take(step.take);
    }
    expect(wheel.size).toBe(list.size);
    expect(wheel.earliestAtMost()).toBeGreaterThanOrEqual(list.nextAt());
    if (step.do !== 'remove') expect(wheel.nextAt()).toBe(list.nextAt());
    expect(wheel.dueCount(now)).toBe(list.dueCount(now));
    expect([...wheel.entries()].map(([, dueAt]) => dueAt)).toEqual(list.entries().map(([, dueAt]) => dueAt));
  }
  while (list.size > 0) {
    now = Math.max(now, list.nextAt());
    take(list.size);
  }
  expect(wheel.size).toBe(0);
  expect(wheel.nextAt()).toBe(Infinity);
}

describe('a timing wheel against a sorted list', () => {
  it('agrees on order, count and next due time, those of one due time in the order inserted', () => {
    fc.assert(
      fc.property(starts, steps, (start, script) => compare(start, script, false)),
      { numRuns: 1500 },
    );
  });

  it('agrees when entries come back after their time', () => {
    fc.assert(
      fc.property(starts, steps, (start, script) => compare(start, script, true)),
      { numRuns: 1000 },
    );
  });
});
