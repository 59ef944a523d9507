import { describe, expect, it } from 'vitest';
import { TimingWheel } from '../../packages/memory/src/wheel/timing-wheel.js';

/** Spans of the three levels, the reach of the wheel, and the edges of 32-bit arithmetic. */
const SPANS = [2 ** 10, 2 ** 20, 2 ** 30, 1023 * 2 ** 20, 2 ** 31, 2 ** 32, 5 * 2 ** 30, 366 * 86_400_000];
const DELAYS = [
  0,
  1,
  ...SPANS.flatMap((span) => [1, 2, 3].flatMap((k) => [k * span - 1, k * span, k * span + 1])),
].sort((a, b) => a - b);
const STARTS = [0, 1023, 2 ** 20 - 1, 1_750_000_000_123, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 41 - 5];

describe('a timing wheel at its boundaries', () => {
  it.each(STARTS)('fires each delay once, at its millisecond and in order, from %d on', (start) => {
    const wheel = new TimingWheel<number>(start);
    for (const delay of [...DELAYS].reverse()) wheel.insert(start + delay, delay);
    for (const delay of new Set(DELAYS)) {
      expect(wheel.take(start + delay - 1), `1 ms before ${delay}`).toBe(undefined);
      expect(wheel.nextAt()).toBe(start + delay);
      for (const twin of DELAYS.filter((other) => other === delay)) {
        expect(wheel.take(start + delay)).toBe(twin);
      }
    }
    expect(wheel.size).toBe(0);
  });

  it('fires everything in order after one leap over all of it', () => {
    const wheel = new TimingWheel<number>(77);
    for (const delay of [...DELAYS].reverse()) wheel.insert(77 + delay, delay);
    const order = DELAYS.map(() => wheel.take(77 + 2 ** 40));
    expect(order).toEqual(DELAYS);
  });

  it('takes the last safe integer, and refuses what is none', () => {
    const wheel = new TimingWheel<string>(1_750_000_000_000);
    wheel.insert(Number.MAX_SAFE_INTEGER, 'last');
    wheel.insert(Number.MAX_SAFE_INTEGER - 1, 'before');
    expect(wheel.take(Number.MAX_SAFE_INTEGER - 2)).toBe(undefined);
    expect(wheel.take(Number.MAX_SAFE_INTEGER - 1)).toBe('before');
    expect(wheel.take(Number.MAX_SAFE_INTEGER)).toBe('last');
    for (const wrong of [NaN, Infinity, -Infinity, 0.5, 2 ** 53]) {
      expect(() => wheel.insert(wrong, 'x')).toThrow(RangeError);
    }
    expect(wheel.size).toBe(0);
  });

  it('takes times before now and before the epoch for due, the earliest first', () => {
    const wheel = new TimingWheel<number>(1000);
    for (const dueAt of [1000, 5, -7, Number.MIN_SAFE_INTEGER, 999]) wheel.insert(dueAt, dueAt);
    expect([1, 2, 3, 4, 5].map(() => wheel.take(1000))).toEqual([Number.MIN_SAFE_INTEGER, -7, 5, 999, 1000]);
  });

  it('lets entries be removed and moved at the very step that moves their slot down', () => {
    for (const span of [2 ** 10, 2 ** 20, 1023 * 2 ** 20 + 1]) {
      const wheel = new TimingWheel<string>(0);
      const gone = wheel.insert(2 * span + 5, 'gone');
      const moved = wheel.insert(2 * span + 6, 'moved');
      wheel.insert(2 * span + 7, 'stays');
      wheel.advance(2 * span);
      expect(wheel.remove(gone)).toBe('gone');
      expect(wheel.remove(moved)).toBe('moved');
      wheel.insert(2 * span + 8, 'moved');
      expect(wheel.take(2 * span + 6)).toBe(undefined);
      expect(wheel.take(2 * span + 7)).toBe('stays');
      expect(wheel.take(2 * span + 7)).toBe(undefined);
      expect(wheel.take(2 * span + 8)).toBe('moved');
      expect(wheel.size).toBe(0);
    }
  });

  it('gives nothing out early after its time was moved ahead of the caller', () => {
    const wheel = new TimingWheel<string>(0);
    wheel.insert(100, 'a');
    wheel.advance(5_000);
    wheel.insert(7, 'b');
    expect(wheel.take(6)).toBe(undefined);
    expect(wheel.take(7)).toBe('b');
    expect(wheel.take(99)).toBe(undefined);
    expect(wheel.dueCount(99)).toBe(0);
    expect(wheel.take(100)).toBe('a');
  });
});

describe('a handle', () => {
  it('is spent once its entry was taken or removed, also when the place is used again', () => {
    const wheel = new TimingWheel<string>(0);
    const taken = wheel.insert(1, 'taken');
    expect(wheel.take(1)).toBe('taken');
    const removed = wheel.insert(2, 'removed');
    expect(wheel.remove(taken)).toBe(undefined);
    expect(wheel.remove(removed)).toBe('removed');
    expect(wheel.remove(removed)).toBe(undefined);
    wheel.insert(3, 'other');
    for (const stale of [taken, removed, -1, 0, NaN, 2 ** 52]) expect(wheel.remove(stale)).toBe(undefined);
    expect(wheel.take(3)).toBe('other');
  });

  it('survives growth and stays stale over an emptied and refilled wheel', () => {
    const wheel = new TimingWheel<number>(0);
    const fill = () => Array.from({ length: 5_000 }, (_, i) => wheel.insert(10 + (i % 700), i));
    const first = fill();
    expect(first.map((handle) => wheel.remove(handle))).toEqual(first.map((_, i) => i));
    const second = fill();
    for (const handle of first) expect(wheel.remove(handle)).toBe(undefined);
    expect(wheel.size).toBe(5_000);
    expect(second.map((handle) => wheel.remove(handle))).toEqual(second.map((_, i) => i));
    expect(wheel.size).toBe(0);
  });
});

describe('the next due time', () => {
  it('is never late and costs few looks too many where a slot holds a crowd and its earliest go', () => {
    const start = 1_750_000_000_000;
    const wheel = new TimingWheel<number>(start);
    const crowd = Array.from({ length: 20_000 }, (_, i) => ({ dueAt: start + 30 * 60_000 + 3 * i, i }));
    const handles = crowd.map(({ dueAt, i }) => wheel.insert(dueAt, i));
    for (const handle of handles.slice(0, 10_000)) wheel.remove(handle);
    const expected = crowd.slice(10_000).map(({ i }) => i);
    const taken: number[] = [];
    let empty = 0;
    for (let at = wheel.nextAt(); at !== Infinity; at = wheel.nextAt()) {
      const before = taken.length;
      for (let i = wheel.take(at); i !== undefined; i = wheel.take(at)) {
        expect(crowd[i]?.dueAt).toBe(at);
        taken.push(i);
      }
      if (taken.length === before) empty++;
    }
    expect(taken).toEqual(expected);
    expect(empty).toBeLessThanOrEqual(2);
  });
});
