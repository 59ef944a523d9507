import { systemClock } from './clock.js';
import type { ConsumerLayer } from './consumer-layer.js';
import { CONSUMER_KEYS, readConsumerNumbers, readConsumerOptions, readRetry } from './read-consumer.js';
import { conflicts, consumerProperties } from './consumer-properties.js';
import { DEFAULTS, PRODUCER_DEFAULTS } from './defaults.js';
import type { DelayQueueProperties, ProducerProperties } from './delay-queue-properties.js';
import { defaultIdGenerator } from './generate-id.js';
import { jumpHashSelector } from './isolation-region-selector.js';
import { jsonCodec } from './json-codec.js';
import { readBoolean, readDuration, readInteger, readObject, readOneOf, readText } from './option-readers.js';
import type { ConsumerPoolOptions, DelayQueueOptions, ProducerOptions } from './options.js';
import {
  readClock,
  readCodec,
  readEngine,
  readIdGenerator,
  readLogger,
  readSelector,
} from './resolve-parts.js';
import { readLimits, readRegions, readTopics } from './resolve-topics.js';

const OPTION_KEYS = [
  'engine',
  'namespace',
  'name',
  'regions',
  'topics',
  'role',
  'producer',
  'consumer',
  'retry',
  'limits',
  'regionSelector',
  'codec',
  'idGenerator',
  'logger',
  'clock',
] as const satisfies readonly (keyof DelayQueueOptions)[];

const PRODUCER_KEYS = [
  'maxPending',
  'overflow',
  'timeout',
] as const satisfies readonly (keyof ProducerOptions)[];

const POOL_KEYS = [
  ...CONSUMER_KEYS,
  'drain',
  'safetyLook',
  'autoStart',
] as const satisfies readonly (keyof ConsumerPoolOptions)[];

/** The longest time a caller, or a stopping process, can be made to wait. */
const HOUR_MS = 3_600_000;

/**
 * Checks every option, turns durations into milliseconds and fills the gaps with the defaults.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option, also for keys that are no option
 */
export function resolveProperties(options: DelayQueueOptions): DelayQueueProperties {
  const given = readObject(options ?? null, '', OPTION_KEYS);
  const regions = readRegions(given.regions, 'regions');
  const limits = readLimits(given.limits, 'limits');
  const topics = readTopics(given.topics);
  const pool = readObject(given.consumer, 'consumer', POOL_KEYS);
  const module: ConsumerLayer = {
    ...readConsumerNumbers(pool, 'consumer'),
    ...readRetry(given.retry, 'retry'),
  };
  const drainMs = readDuration(pool.drain, 'consumer.drain', 0, HOUR_MS) ?? DEFAULTS.drainMs;
  const safetyLookMs =
    readDuration(pool.safetyLook, 'consumer.safetyLook', 10, HOUR_MS) ?? DEFAULTS.safetyLookMs;
  const logger = readLogger(given.logger) ?? console;

  return {
    engine: readEngine(given.engine),
    namespace:
      readText(given.namespace, 'namespace', /^[A-Za-z0-9._-]{1,64}$/, '1-64 of A-Z a-z 0-9 . _ -') ??
      DEFAULTS.namespace,
    name: readText(given.name, 'name', /^[^\p{C}]{1,64}$/u, '1-64 printable characters') ?? DEFAULTS.name,
    role: readOneOf(given.role, 'role', ['producer', 'consumer', 'both'] as const) ?? DEFAULTS.role,
    producer: readProducer(given.producer),
    consumer: {
      drainMs,
      autoStart: readBoolean(pool.autoStart, 'consumer.autoStart') ?? DEFAULTS.autoStart,
    },
    regionSelector: readSelector(given.regionSelector) ?? jumpHashSelector,
    codec: readCodec(given.codec) ?? jsonCodec,
    idGenerator: readIdGenerator(given.idGenerator) ?? defaultIdGenerator,
    logger,
    clock: readClock(given.clock) ?? systemClock,
    topics: [...topics.keys()],

    topic(topic) {
      const own = topics.get(topic);
      const asked = own?.regions ?? regions;
      return {
        regions: asked ?? DEFAULTS.regions,
        regionsExplicit: asked !== undefined,
        dedupeMs: own?.dedupeMs ?? DEFAULTS.dedupeMs,
        maxDelayMs: own?.limits.maxDelayMs ?? limits.maxDelayMs ?? DEFAULTS.maxDelayMs,
        maxContentBytes: own?.limits.maxContentBytes ?? limits.maxContentBytes ?? DEFAULTS.maxContentBytes,
      };
    },

    consumerOf(topic, decorator) {
      const own = topics.get(topic);
      const decorated = readConsumerOptions(decorator, `@DelayConsumer('${topic}')`);
      const overruled = own === undefined ? [] : conflicts(decorated, own.consumer);
      if (overruled.length > 0) {
        logger.log(`topics['${topic}'] overrules its decorator's ${overruled.join(', ')}`);
      }
      return consumerProperties([module, decorated, own?.consumer ?? {}], {
        drainMs,
        safetyLookMs,
        dedupeMs: own?.dedupeMs ?? DEFAULTS.dedupeMs,
      });
    },
  };
}

function readProducer(producer: unknown): ProducerProperties {
  const given = readObject(producer, 'producer', PRODUCER_KEYS);
  return {
    maxPending:
      readInteger(given.maxPending, 'producer.maxPending', 1, 10_000_000) ?? PRODUCER_DEFAULTS.maxPending,
    overflow:
      readOneOf(given.overflow, 'producer.overflow', ['wait', 'reject'] as const) ??
      PRODUCER_DEFAULTS.overflow,
    timeoutMs: readDuration(given.timeout, 'producer.timeout', 1, HOUR_MS) ?? PRODUCER_DEFAULTS.timeoutMs,
  };
}
