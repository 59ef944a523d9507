import { toMilliseconds } from './duration.js';
import type { BackoffFunction } from './options.js';

/** A back-off whose values are checked and in milliseconds. See `BackoffOptions`. */
export interface BackoffPolicy {
  readonly type: 'fixed' | 'exponential';
  readonly delayMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitter: number;
}

/** Retries wait at most so long, whatever a policy says: 100 years, which every engine can add to its now. */
export const LONGEST_WAIT_MS = 36_525 * 86_400_000;

/**
 * The wait in whole milliseconds before the try that follows failure number `failures` (1-based).
 *
 * Always between `delayMs × (1 - jitter)` and `maxMs` (`fixed`: `delayMs × (1 + jitter)`), for any number of
 * failures: the cap comes before the product can overflow. `random` gives numbers from 0 to 1.
 */
export function backoffMs(policy: BackoffPolicy, failures: number, random: () => number): number {
  const { type, delayMs, factor, maxMs, jitter } = policy;
  const spread = 1 + jitter * (2 * random() - 1);
  if (type === 'fixed') return Math.min(Math.ceil(delayMs * spread), LONGEST_WAIT_MS);
  const growth = Math.pow(factor, Math.max(0, failures - 1));
  // 0 × Infinity is NaN, so a delay of 0 never meets the growth
  const grown = delayMs === 0 ? 0 : Math.min(delayMs * growth, maxMs);
  return Math.min(Math.ceil(grown * spread), maxMs);
}

/**
 * The wait that a user's own function gives, or `undefined` where it throws or gives what is no duration (NaN,
 * negative, infinite, a promise). Longer waits than `LONGEST_WAIT_MS` are cut to it.
 */
export function customBackoffMs(
  backoff: BackoffFunction,
  failures: number,
  error: unknown,
): number | undefined {
  try {
    const given: unknown = backoff(failures, error);
    if (given instanceof Promise) given.catch(() => undefined); // its rejection is nobody else's
    return Math.min(toMilliseconds(given as number, 'backoff'), LONGEST_WAIT_MS);
  } catch {
    return undefined;
  }
}
