import type { ConsumerLayer } from './consumer-layer.js';
import type { ProducerProperties } from './delay-queue-properties.js';
import type { BackoffPolicy } from './retry-policy.js';

/* Every default value, once. `options.ts` names them beside each option. */

/** Of the module. */
export const DEFAULTS = {
  namespace: 'delay-queue',
  name: 'default',
  role: 'both',
  regions: 5,
  drainMs: 10_000,
  safetyLookMs: 5_000,
  autoStart: true,
  dedupeMs: 0,
  maxDelayMs: 366 * 86_400_000,
  maxContentBytes: 65_536,
} as const;

/** Of `producer`. */
export const PRODUCER_DEFAULTS = {
  maxPending: 10_000,
  overflow: 'wait',
  timeoutMs: 5_000,
} as const satisfies ProducerProperties;

/** Of `retry.backoff`. */
export const BACKOFF_DEFAULTS = {
  type: 'exponential',
  delayMs: 60_000,
  factor: 2,
  maxMs: 3_600_000,
  jitter: 0.1,
} as const satisfies BackoffPolicy;

/** Of a consumer. */
export const CONSUMER_DEFAULTS = {
  concurrency: 16,
  queueSize: 64,
  leaseMs: 30_000,
  timeoutMs: 300_000,
  maxAttempts: 5,
  maxCrashes: 5,
  backoff: BACKOFF_DEFAULTS,
} as const satisfies Required<ConsumerLayer>;
