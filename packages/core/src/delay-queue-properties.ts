import type { Clock } from './clock.js';
import type { Codec } from './codec.js';
import type { EngineFactory } from './engine.js';
import type { IsolationRegionSelector } from './isolation-region-selector.js';
import type { Logger } from './logger.js';
import type { ConsumerOptions } from './options.js';

/** The resolved options: validated, in milliseconds, with every default filled in. */
export interface DelayQueueProperties {
  readonly engine: EngineFactory;
  readonly namespace: string;
  readonly name: string;
  readonly role: 'producer' | 'consumer' | 'both';
  readonly producer: ProducerProperties;
  readonly consumer: { readonly drainMs: number; readonly autoStart: boolean };
  readonly regionSelector: IsolationRegionSelector;
  readonly codec: Codec;
  readonly idGenerator: () => string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The topics that the options name. */
  readonly topics: readonly string[];
  /** What holds for sending to a topic. */
  topic(topic: string): TopicProperties;
  /**
   * What holds for consuming a topic: module < decorator < `topics[topic]`.
   *
   * @throws DelayQueueError INVALID_OPTION naming the decorator's option at fault
   */
  consumerOf(topic: string, decorator?: ConsumerOptions): ConsumerProperties;
}

/** See `ProducerOptions`. */
export interface ProducerProperties {
  readonly maxPending: number;
  readonly overflow: 'wait' | 'reject';
  readonly timeoutMs: number;
}

/** See `TopicOptions`. */
export interface TopicProperties {
  readonly regions: number;
  /** Whether the user asked for this count, or it is the default and a known topic keeps its own. */
  readonly regionsExplicit: boolean;
  /** 0: ids of handled messages are free at once. */
  readonly dedupeMs: number;
  readonly maxDelayMs: number;
  readonly maxContentBytes: number;
}

/** See `ConsumerOptions` and `RetryOptions`. */
export interface ConsumerProperties {
  readonly concurrency: number;
  readonly queueSize: number;
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly safetyLookMs: number;
  readonly drainMs: number;
  readonly dedupeMs: number;
  readonly maxAttempts: number;
  readonly maxCrashes: number;
  /** The wait after failure number `failures` (1-based) that ended with `error`. Never throws. */
  backoffMs(failures: number, error: unknown): number;
}
