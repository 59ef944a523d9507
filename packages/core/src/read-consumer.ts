import type { ConsumerLayer } from './consumer-layer.js';
import { pathOf, readDuration, readInteger, readObject } from './option-readers.js';
import type { ConsumerOptions, RetryOptions } from './options.js';
import { readBackoff } from './read-backoff.js';

/** The keys of `ConsumerOptions` except `retry`. */
export const CONSUMER_KEYS = [
  'concurrency',
  'queueSize',
  'lease',
  'timeout',
] as const satisfies readonly Exclude<keyof ConsumerOptions, 'retry'>[];

const RETRY_KEYS = ['attempts', 'crashes', 'backoff'] as const satisfies readonly (keyof RetryOptions)[];

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const MAX_COUNT = 1_000_000;

/**
 * Checks consumer options, such as those of a decorator. Only what is given is in the result.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option under `path`, unknown keys too
 */
export function readConsumerOptions(options: unknown, path: string): ConsumerLayer {
  const { retry, ...rest } = readObject(options, path, [...CONSUMER_KEYS, 'retry']);
  return { ...readConsumerNumbers(rest, path), ...readRetry(retry, pathOf(path, 'retry')) };
}

/** The part of a layer that is not `retry`; the keys of `given` are checked by the caller. */
export function readConsumerNumbers(
  given: Partial<Record<(typeof CONSUMER_KEYS)[number], unknown>>,
  path: string,
): ConsumerLayer {
  return present({
    concurrency: readInteger(given.concurrency, pathOf(path, 'concurrency'), 1, 10_000),
    queueSize: readInteger(given.queueSize, pathOf(path, 'queueSize'), 0, 10_000),
    leaseMs: readDuration(given.lease, pathOf(path, 'lease'), SECOND_MS, HOUR_MS),
    timeoutMs: readDuration(given.timeout, pathOf(path, 'timeout'), 1, 168 * HOUR_MS),
  });
}

/**
 * Checks `retry`.
 *
 * @throws DelayQueueError INVALID_OPTION
 */
export function readRetry(retry: unknown, path: string): ConsumerLayer {
  const given = readObject(retry, path, RETRY_KEYS);
  const attempts = given.attempts;
  return present({
    maxAttempts:
      attempts === Number.POSITIVE_INFINITY
        ? attempts
        : readInteger(attempts, pathOf(path, 'attempts'), 1, MAX_COUNT),
    maxCrashes: readInteger(given.crashes, pathOf(path, 'crashes'), 1, MAX_COUNT),
    backoff: readBackoff(given.backoff, pathOf(path, 'backoff')),
  });
}

type Present<Values> = { [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** Leaves out what is `undefined`, so that spreading a layer over another one overrides only what was given. */
function present<Values extends object>(values: Values): Present<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Present<Values>;
}
