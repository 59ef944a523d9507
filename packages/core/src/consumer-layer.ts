import type { BackoffFunction } from './options.js';
import type { BackoffPolicy } from './retry-policy.js';

/** What one of the three places (module, decorator, `topics[topic]`) says about a consumer, checked. */
export interface ConsumerLayer {
  readonly concurrency?: number;
  readonly queueSize?: number;
  readonly leaseMs?: number;
  readonly timeoutMs?: number;
  readonly maxAttempts?: number;
  readonly maxCrashes?: number;
  readonly backoff?: BackoffPolicy | BackoffFunction;
}
