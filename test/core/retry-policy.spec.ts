import { resolveProperties, type RetryOptions } from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { describe, expect, it } from 'vitest';
import { backoffMs, type BackoffPolicy } from '../../packages/core/src/retry-policy.js';

const backoffOf = (backoff: unknown) =>
  resolveProperties({ engine: memoryEngine(), retry: { backoff } as RetryOptions }).consumerOf('t').backoffMs;

describe('backoffMs', () => {
  it.each([2, 10, 1.5, 1])('with factor %s is finite, whole, within its bounds and never falls', (factor) => {
    const policy: BackoffPolicy = {
      type: 'exponential',
      delayMs: 1_000,
      factor,
      maxMs: 3_600_000,
      jitter: 0,
    };
    let before = 0;
    for (let failures = 1; failures <= 2_000; failures++) {
      const exact = backoffMs(policy, failures, () => 0.5);
      expect(Number.isSafeInteger(exact)).toBe(true);
      expect(exact).toBeGreaterThanOrEqual(Math.max(1_000, before));
      expect(exact).toBeLessThanOrEqual(3_600_000);
      before = exact;
      for (const random of [0, 0.3, 0.999]) {
        const spread = backoffMs({ ...policy, jitter: 0.1 }, failures, () => random);
        expect(Number.isSafeInteger(spread)).toBe(true);
        expect(spread).toBeGreaterThanOrEqual(900);
        expect(spread).toBeLessThanOrEqual(3_600_000);
      }
    }
  });

  it('doubles from delay to max', () => {
    const wait = backoffOf({ delay: '1m', jitter: 0 });
    expect([1, 2, 3, 6, 7, 8, 2_000].map((failures) => wait(failures, undefined))).toEqual([
      60_000, 120_000, 240_000, 1_920_000, 3_600_000, 3_600_000, 3_600_000,
    ]);
  });

  it('spreads by the jitter, to both sides', () => {
    const policy: BackoffPolicy = { type: 'fixed', delayMs: 1_000, factor: 2, maxMs: 1, jitter: 0.5 };
    expect([0, 0.5, 1].map((random) => backoffMs(policy, 3, () => random))).toEqual([500, 1_000, 1_500]);
  });

  it('knows delays of 0, fixed waits and plain durations', () => {
    expect(backoffOf({ delay: 0 })(2_000, undefined)).toBe(0);
    expect(backoffOf({ type: 'fixed', delay: '5s', jitter: 0 })(9, undefined)).toBe(5_000);
    expect(backoffOf('5s')(9, undefined)).toBe(5_000);
    expect(backoffOf(250)(1, undefined)).toBe(250);
    expect(backoffOf({ total: () => 1_500.2 })(1, undefined)).toBe(1_501);
    expect(backoffOf({ delay: '2h', jitter: 0 })(1, undefined)).toBe(7_200_000);
  });

  it("asks a user's function, and falls back where it gives no duration", () => {
    const error = new Error('why');
    const seen: unknown[] = [];
    const wait = backoffOf((failures: number, thrown: unknown) => {
      seen.push(failures, thrown);
      return '10s';
    });
    expect(wait(3, error)).toBe(10_000);
    expect(seen).toEqual([3, error]);
    const bad = [
      () => NaN,
      () => -1,
      () => Infinity,
      () => undefined,
      () => Promise.resolve(5),
      () => Promise.reject(new Error('nobody hears this')),
      () => 'soon',
      () => ({}),
      () => {
        throw new Error('broken');
      },
    ];
    for (const backoff of bad) {
      const fallback = backoffOf(backoff)(1, error);
      expect(fallback).toBeGreaterThanOrEqual(54_000);
      expect(fallback).toBeLessThanOrEqual(66_000);
    }
    expect(backoffOf(() => Number.MAX_VALUE)(1, error)).toBe(36_525 * 86_400_000);
  });
});
