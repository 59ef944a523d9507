import { DelayConsumerQueue, type Handler } from './delay-consumer-queue.js';
import { DelayQueueContext } from './delay-queue-context.js';
import type { DelayQueueProperties } from './delay-queue-properties.js';
import { describe } from './describe.js';
import { EngineHealth } from './engine-health.js';
import type { DelayEngine, Region } from './engine.js';
import { DelayQueueError } from './errors.js';
import { LAST_WORDS_MS } from './last-words.js';
import type { ConsumerOptions } from './options.js';
import { closedError } from './producing/closed-error.js';
import { Producer } from './producing/producer.js';
import { TopicRegistry } from './topic-registry.js';
import { checkTopic } from './topic-name.js';

/**
 * One delay queue instance: its engine, its producing side, its consumers, from `open` to `close`.
 *
 * ```
 * new ──open──► open ──drain──► draining (sends work) ──close──► closed (everything rejects CLOSED)
 * ```
 *
 * Works without any framework; `@delay-queue/nestjs` only wires it.
 */
export class DelayQueueRuntime {
  readonly engine: DelayEngine;
  readonly context: DelayQueueContext;
  private readonly registry: TopicRegistry;
  private readonly health: EngineHealth;
  private readonly producer: Producer;
  private readonly consumers = new Map<string, DelayConsumerQueue>();
  private unwatch: (() => void) | undefined;
  private opening: Promise<void> | undefined;
  private draining: Promise<void> | undefined;
  private drainTookMs = 0;
  private closing: Promise<void> | undefined;

  /**
   * Makes the engine; nothing is connected yet.
   *
   * @throws DelayQueueError INVALID_OPTION if the factory makes no engine; what the factory throws
   */
  constructor(readonly properties: DelayQueueProperties) {
    const { clock, logger, name, namespace } = properties;
    this.engine = checkEngine(properties.engine({ namespace, clock, logger }));
    this.registry = new TopicRegistry(this.engine, properties);
    this.health = new EngineHealth(logger, name);
    this.producer = new Producer({
      engine: this.engine,
      registry: this.registry,
      health: this.health,
      properties,
      hintOf: (topic) => {
        const consumer = this.consumers.get(topic);
        return consumer && ((index, at) => consumer.hint(index, at));
      },
    });
    this.context = new DelayQueueContext(this.producer);
  }

  /**
   * Opens the engine, and reads the registry for the topics that have a consumer or are named in the options. With the store away it resolves all the
   * same, unless the engine is told to insist. Idempotent; may be called again after it failed.
   *
   * @throws DelayQueueError what the engine's `open` fails with; INVALID_OPTION when a topic's messages were placed
   * by another selector; CLOSED
   */
  open(): Promise<void> {
    if (this.closing !== undefined) return Promise.reject(closedError(this.properties.name));
    this.opening ??= this.producer
      .atHome(() => this.doOpen())
      .catch((error: unknown) => {
        this.opening = undefined;
        throw error;
      });
    return this.opening;
  }

  /**
   * Registers the consumer of a topic; `start()` of the returned queue starts it.
   *
   * @throws DelayQueueError INVALID_TOPIC; INVALID_OPTION for a topic that has one already and for what
   * `decorator` has wrong; CLOSED once draining has begun
   */
  consume(topic: string, handler: Handler, decorator?: ConsumerOptions): DelayConsumerQueue {
    checkTopic(topic);
    if (this.draining !== undefined) throw closedError(this.properties.name);
    if (this.consumers.has(topic)) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `topic '${topic}' has a consumer already; it can have only one`,
      );
    }
    const { clock, codec, logger } = this.properties;
    const { engine, registry, health } = this;
    const properties = this.properties.consumerOf(topic, decorator);
    const queue = new DelayConsumerQueue(topic, handler, properties, {
      engine,
      registry,
      health,
      clock,
      codec,
      logger,
    });
    this.consumers.set(topic, queue);
    return queue;
  }

  /** Drains all consumers at once; sends go on to work. Idempotent and shared; never rejects. */
  drain(): Promise<void> {
    this.draining ??= this.doDrain();
    return this.draining;
  }

  /**
   * Drains, then refuses sends with CLOSED, lets the pending ones settle, and closes the engine. Sends are waited
   * for at most `producer.timeout`, and no longer than half a second after the drain time, of which draining may
   * have left nothing; time between `drain` and `close` does not count. Idempotent and shared.
   */
  close(): Promise<void> {
    this.closing ??= this.doClose();
    return this.closing;
  }

  private async doOpen(): Promise<void> {
    await this.engine.open();
    this.unwatch ??= this.engine.watch((region, at) => this.hinted(region, at));
    const topics = new Set([...this.properties.topics, ...this.consumers.keys()]);
    await Promise.all([...topics].map((topic) => this.readRegistry(topic)));
  }

  /** Only a wrong selector is a reason not to start; everything else is tried again by whoever needs it. */
  private async readRegistry(topic: string): Promise<void> {
    try {
      await this.registry.get(topic);
    } catch (error) {
      if (error instanceof DelayQueueError && error.code === 'INVALID_OPTION') throw error;
    }
  }

  private hinted({ topic, index }: Region, at: number): void {
    const consumer = this.consumers.get(topic);
    if (consumer === undefined) return;
    const map = this.registry.known(topic);
    if (map === undefined || map.regions.includes(index)) return consumer.hint(index, at);
    // a region of a count that another process set: the map must grow before the consumer can look there
    this.registry.refresh(topic).then(
      () => consumer.hint(index, at),
      () => undefined, // the safety look reads the registry again
    );
  }

  private async doDrain(): Promise<void> {
    const { clock } = this.properties;
    const begun = clock.monotonic();
    await Promise.all([...this.consumers.values()].map((queue) => queue.drain()));
    this.drainTookMs = clock.monotonic() - begun;
  }

  private async doClose(): Promise<void> {
    await this.drain();
    await this.producer.close(this.properties.consumer.drainMs + LAST_WORDS_MS - this.drainTookMs);
    this.unwatch?.();
    await this.engine.close();
  }
}

/** Catches factories that return a promise or something else altogether. */
function checkEngine(engine: DelayEngine): DelayEngine {
  const needed = ['open', 'close', 'topology', 'put', 'cancel', 'claim', 'settle', 'watch'] as const;
  const candidate = engine as Partial<DelayEngine> | null | undefined;
  if (needed.every((method) => typeof candidate?.[method] === 'function')) return engine;
  throw new DelayQueueError('INVALID_OPTION', `engine made ${describe(engine)}, which is no delay engine`);
}
