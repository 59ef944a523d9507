import { BACKOFF_DEFAULTS } from './defaults.js';
import { invalidOption, pathOf, readDuration, readNumber, readObject, readOneOf } from './option-readers.js';
import type { BackoffFunction, BackoffOptions } from './options.js';
import { LONGEST_WAIT_MS, type BackoffPolicy } from './retry-policy.js';

const BACKOFF_KEYS = [
  'type',
  'delay',
  'factor',
  'max',
  'jitter',
] as const satisfies readonly (keyof BackoffOptions)[];

/**
 * Checks `retry.backoff`: a function as it is, a duration as exactly that wait, an object with its gaps filled.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option under `path`
 */
export function readBackoff(value: unknown, path: string): BackoffPolicy | BackoffFunction | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'function') return value as BackoffFunction;
  if (typeof value !== 'object' || value === null || 'total' in value) {
    const delayMs = readDuration(value, path, 0, LONGEST_WAIT_MS) ?? 0;
    return { type: 'fixed', delayMs, factor: 1, maxMs: delayMs, jitter: 0 };
  }
  const given = readObject(value, path, BACKOFF_KEYS);
  const delayMs =
    readDuration(given.delay, pathOf(path, 'delay'), 0, LONGEST_WAIT_MS) ?? BACKOFF_DEFAULTS.delayMs;
  const maxMs = readDuration(given.max, pathOf(path, 'max'), 0, LONGEST_WAIT_MS);
  if (maxMs !== undefined && maxMs < delayMs) {
    throw invalidOption(pathOf(path, 'max'), `at least ${pathOf(path, 'delay')} (${delayMs} ms)`, given.max);
  }
  return {
    type:
      readOneOf(given.type, pathOf(path, 'type'), ['fixed', 'exponential'] as const) ?? BACKOFF_DEFAULTS.type,
    delayMs,
    factor: readNumber(given.factor, pathOf(path, 'factor'), 1, 1_000) ?? BACKOFF_DEFAULTS.factor,
    maxMs: maxMs ?? Math.max(delayMs, BACKOFF_DEFAULTS.maxMs),
    jitter: readNumber(given.jitter, pathOf(path, 'jitter'), 0, 1) ?? BACKOFF_DEFAULTS.jitter,
  };
}
