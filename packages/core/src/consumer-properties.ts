import type { ConsumerLayer } from './consumer-layer.js';
import { BACKOFF_DEFAULTS, CONSUMER_DEFAULTS } from './defaults.js';
import type { ConsumerProperties } from './delay-queue-properties.js';
import { backoffMs, customBackoffMs } from './retry-policy.js';

/** What holds for consuming, from the layers in order of their strength, the strongest last. */
export function consumerProperties(
  layers: readonly ConsumerLayer[],
  fixed: Pick<ConsumerProperties, 'drainMs' | 'safetyLookMs' | 'dedupeMs'>,
  random: () => number = Math.random,
): ConsumerProperties {
  const { backoff, ...numbers } = layers.reduce<Required<ConsumerLayer>>(
    (merged, layer) => ({ ...merged, ...layer }),
    CONSUMER_DEFAULTS,
  );
  return {
    ...numbers,
    ...fixed,
    safetyLookMs: Math.min(fixed.safetyLookMs, numbers.leaseMs),
    backoffMs(failures, error) {
      if (typeof backoff !== 'function') return backoffMs(backoff, failures, random);
      return customBackoffMs(backoff, failures, error) ?? backoffMs(BACKOFF_DEFAULTS, failures, random);
    },
  };
}

/** The options that two layers give with different values, as the user writes them. */
export function conflicts(weaker: ConsumerLayer, stronger: ConsumerLayer): string[] {
  const keys = Object.keys(stronger) as (keyof ConsumerLayer)[];
  return keys
    .filter((key) => weaker[key] !== undefined && !same(weaker[key], stronger[key]))
    .map((key) => OPTION_NAMES[key]);
}

const OPTION_NAMES = {
  concurrency: 'concurrency',
  queueSize: 'queueSize',
  leaseMs: 'lease',
  timeoutMs: 'timeout',
  maxAttempts: 'retry.attempts',
  maxCrashes: 'retry.crashes',
  backoff: 'retry.backoff',
} as const satisfies Record<keyof ConsumerLayer, string>;

const same = (one: unknown, other: unknown): boolean =>
  one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
