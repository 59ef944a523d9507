import { jumpHashSelector } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';

const select = (id: string, regions: number): number => jumpHashSelector.select(id, regions);

/** id, its region of 5, of 16, of 256. Never change these: they are where users' messages are. */
const golden: [string, number, number, number][] = [
  ['A-1', 0, 15, 52],
  ['order-42', 4, 9, 230],
  ['00123', 4, 4, 192],
  ['V1StGXR8_Z5jdHi6B-myT', 2, 2, 2],
  ['é', 0, 10, 176],
  ['😀', 2, 13, 13],
  ['x'.repeat(40), 1, 1, 180],
];

describe('jumpHashSelector', () => {
  it('stays as it is: ids are found again by it', () => {
    expect(golden.map(([id]) => [id, select(id, 5), select(id, 16), select(id, 256)])).toEqual(golden);
  });

  it('is even: over 100,000 ids the fullest region is at most 3 % above the mean', () => {
    for (const make of [
      (i: number) => `order-${i}`,
      (i: number) => String(1_760_000_000_000 + i * 997),
      uuidLike,
    ]) {
      for (const regions of [2, 3, 5, 8, 16]) {
        const counts = new Array<number>(regions).fill(0);
        for (let i = 0; i < 100_000; i++) {
          const region = select(make(i), regions);
          counts[region] = (counts[region] ?? 0) + 1;
        }
        expect(Math.max(...counts) / (100_000 / regions)).toBeLessThan(1.03);
      }
    }
  });

  it('moves only what it must: 37 % from 5 to 8, all of it into the new regions', () => {
    let moved = 0;
    for (let i = 0; i < 20_000; i++) {
      const [before, after] = [select(`order-${i}`, 5), select(`order-${i}`, 8)];
      if (before === after) continue;
      moved++;
      expect(after).toBeGreaterThanOrEqual(5);
    }
    expect(moved / 20_000).toBeCloseTo(0.375, 1);
  });

  it('is always in range', () => {
    for (const id of ['', 'x', '😀', '\ud800', 'é'.repeat(200)]) {
      for (let regions = 1; regions <= 256; regions++) {
        const region = select(id, regions);
        expect(Number.isInteger(region) && region >= 0 && region < regions).toBe(true);
      }
    }
  });
});

function uuidLike(i: number): string {
  return `${(i * 2_654_435_761) % 2 ** 32}-${i.toString(16)}`;
}
