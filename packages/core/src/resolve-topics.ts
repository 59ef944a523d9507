import type { ConsumerLayer } from './consumer-layer.js';
import { CONSUMER_KEYS, readConsumerNumbers, readRetry } from './read-consumer.js';
import { DelayQueueError } from './errors.js';
import { pathOf, readDuration, readEntries, readInteger, readObject } from './option-readers.js';
import type { LimitOptions, TopicOptions } from './options.js';
import { LONGEST_WAIT_MS } from './retry-policy.js';
import { checkTopic } from './topic-name.js';

/** One entry of `topics`, checked; only what is given. */
export interface TopicLayer {
  readonly regions: number | undefined;
  readonly dedupeMs: number | undefined;
  readonly limits: LimitLayer;
  readonly consumer: ConsumerLayer;
}

/** `limits`, checked; only what is given. */
export interface LimitLayer {
  readonly maxDelayMs: number | undefined;
  readonly maxContentBytes: number | undefined;
}

const TOPIC_KEYS = [
  'regions',
  'dedupe',
  'limits',
  'retry',
  ...CONSUMER_KEYS,
] as const satisfies readonly (keyof TopicOptions)[];

const LIMIT_KEYS = ['maxDelay', 'maxContentBytes'] as const satisfies readonly (keyof LimitOptions)[];

/**
 * Checks `topics`. A Map, because a topic may be called `constructor`.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option, such as `topics['order:timeout'].regions`
 */
export function readTopics(topics: unknown): ReadonlyMap<string, TopicLayer> {
  const entries = readEntries(topics, 'topics');
  return new Map(entries.map(([name, options]) => [name, readTopic(name, options)]));
}

function readTopic(name: string, options: unknown): TopicLayer {
  const path = `topics['${name}']`;
  try {
    checkTopic(name);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new DelayQueueError('INVALID_OPTION', `${path} names no topic: ${why}`, { cause: error });
  }
  const given = readObject(options, path, TOPIC_KEYS);
  return {
    regions: readRegions(given.regions, pathOf(path, 'regions')),
    dedupeMs: readDuration(given.dedupe, pathOf(path, 'dedupe'), 0, LONGEST_WAIT_MS),
    limits: readLimits(given.limits, pathOf(path, 'limits')),
    consumer: { ...readConsumerNumbers(given, path), ...readRetry(given.retry, pathOf(path, 'retry')) },
  };
}

/** Checks a region count, 1-256. */
export const readRegions = (regions: unknown, path: string): number | undefined =>
  readInteger(regions, path, 1, 256);

/** Checks `limits`. */
export function readLimits(limits: unknown, path: string): LimitLayer {
  const given = readObject(limits, path, LIMIT_KEYS);
  return {
    maxDelayMs: readDuration(given.maxDelay, pathOf(path, 'maxDelay'), 1, LONGEST_WAIT_MS),
    maxContentBytes: readInteger(given.maxContentBytes, pathOf(path, 'maxContentBytes'), 1, 16 * 1024 * 1024),
  };
}
