import type { Clock } from './clock.js';
import type { Codec } from './codec.js';
import type { DelayInput } from './duration.js';
import type { EngineFactory } from './engine.js';
import type { IsolationRegionSelector } from './isolation-region-selector.js';
import type { Logger } from './logger.js';

/** What a user configures. Durations are milliseconds or strings such as `'30s'`. */
export interface DelayQueueOptions {
  /** Where messages live: `redisEngine(…)`, `memoryEngine(…)` or another factory. Required. */
  engine: EngineFactory;
  /** Keeps queues on one store apart; 1-64 of `A-Z a-z 0-9 . _ -`. @default 'delay-queue' */
  namespace?: string;
  /** Tells instances apart in logs, 1-64 printable characters. @default 'default' */
  name?: string;
  /** Isolation regions per topic, 1-256. Where it is not given, a topic keeps the count it has. @default 5 */
  regions?: number;
  /** What differs for single topics. */
  topics?: Record<string, TopicOptions>;
  /** `producer` starts no consumers, `consumer` opens its producing connection at first use. @default 'both' */
  role?: 'producer' | 'consumer' | 'both';
  producer?: ProducerOptions;
  consumer?: ConsumerPoolOptions;
  retry?: RetryOptions;
  limits?: LimitOptions;
  /** @default jumpHashSelector */
  regionSelector?: IsolationRegionSelector;
  /** @default jsonCodec */
  codec?: Codec;
  /** Makes the ids of messages sent without one. @default 14 random characters (nanoid) */
  idGenerator?: () => string;
  /** @default the console; in Nest its Logger */
  logger?: Logger;
  /** @default systemClock */
  clock?: Clock;
}

/** The pool that sends. */
export interface ProducerOptions {
  /** Sends that may be unsettled at once, over all topics, 1-10,000,000. @default 10_000 */
  maxPending?: number;
  /** What the next send does then: wait for room (within its timeout), or reject with `OVERFLOW`. @default 'wait' */
  overflow?: 'wait' | 'reject';
  /** After so long, 1 ms to 1 h, a call rejects with a typed error, whatever the store does. @default '5s' */
  timeout?: DelayInput;
}

/** What one consumer can be given: by the module, its decorator, or `topics[topic]`, the later the stronger. */
export interface ConsumerOptions {
  /** Handlers of one topic that run at once in this process, 1-10,000. @default 16 */
  concurrency?: number;
  /** Upper bound of claimed messages that wait for a slot, 0-10,000. @default 64 */
  queueSize?: number;
  /** How long a claim is held without renewal, 1 s to 1 h; also how late a crash is noticed. @default '30s' */
  lease?: DelayInput;
  /** After so long, 1 ms to 7 days, a handler is aborted and its message retried. @default '5m' */
  timeout?: DelayInput;
  retry?: RetryOptions;
}

/** The pool that consumes. */
export interface ConsumerPoolOptions extends Omit<ConsumerOptions, 'retry'> {
  /** How long a stopping process waits for its handlers before it gives their messages back, at most 1 h. @default '10s' */
  drain?: DelayInput;
  /**
   * A look at every region at least this often, in case a hint was lost; 10 ms to 1 h, capped at the lease.
   * @default '5s'
   */
  safetyLook?: DelayInput;
  /** Consumers start by themselves when the app is ready. @default true */
  autoStart?: boolean;
}

/** What one topic can be given. */
export interface TopicOptions extends ConsumerOptions {
  /** Isolation regions of this topic, 1-256. */
  regions?: number;
  /** How long the id of a handled message stays known and refused, at most 100 years. @default not at all */
  dedupe?: DelayInput;
  limits?: LimitOptions;
}

/** How failures are repeated. */
export interface RetryOptions {
  /** Deliveries that may fail before the message becomes a dead letter, 1-1,000,000 or Infinity. @default 5 */
  attempts?: number;
  /** Deliveries that may end with their process before the message becomes a dead letter, 1-1,000,000. @default 5 */
  crashes?: number;
  /**
   * The wait before the next try; a plain duration is exactly that wait each time. Taken as a whole: the gaps of a
   * stronger place are filled with defaults, not from a weaker place.
   * @default { type: 'exponential', delay: '1m', factor: 2, max: '1h', jitter: 0.1 }
   */
  backoff?: BackoffOptions | DelayInput | BackoffFunction;
}

/** The wait before try n + 1: `delay`, or `delay × factor^(n-1)` up to `max`, spread by ± `jitter`. */
export interface BackoffOptions {
  /** @default 'exponential' */
  type?: 'fixed' | 'exponential';
  /** @default '1m' */
  delay?: DelayInput;
  /** 1-1,000. @default 2 */
  factor?: number;
  /** At least `delay`; exponential waits never exceed it. @default '1h', or `delay` where that is longer */
  max?: DelayInput;
  /** 0-1: the share of the wait by which it may differ. @default 0.1 */
  jitter?: number;
}

/** Own back-off: the wait after failure number `failures` (1-based). What is no valid duration means the default. */
export type BackoffFunction = (failures: number, error: unknown) => DelayInput;

/** What is refused at the door. */
export interface LimitOptions {
  /** 1 ms to 100 years. @default '366d' */
  maxDelay?: DelayInput;
  /** Bytes of encoded content (UTF-8), 1 to 16 MiB. @default 65_536 */
  maxContentBytes?: number;
}

/** Options of one send. */
export interface SendOptions {
  /** Unique per topic: a well-formed string of 1-256 bytes without control characters. @default a generated one */
  id?: string;
  /** What an existing message of this id means. @default 'keep' */
  onDuplicate?: 'keep' | 'reject' | 'replace';
  /** Names and values are well-formed strings, 8 KiB in all; kept beside the content. @default none */
  headers?: Record<string, string>;
  /** After so long, 1 ms to 1 h, the send rejects. @default `producer.timeout` */
  timeout?: DelayInput;
}
