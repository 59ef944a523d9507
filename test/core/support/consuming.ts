import {
  DelayConsumerQueue,
  EngineHealth,
  resolveProperties,
  systemClock,
  TopicRegistry,
  VirtualClock,
  type Clock,
  type Codec,
  type ConsumerProperties,
  type DelayQueueOptions,
  type Handler,
  type StoredMessage,
} from '@delay-queue/core';
import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { onTestFinished } from 'vitest';
import { FlakyEngine } from '../../support/flaky-engine.js';
import { RecordedLog } from './recorded-log.js';

/** What a test may set. */
export interface Setting {
  readonly topic?: string;
  readonly store?: MemoryStore;
  readonly clock?: Clock;
  readonly codec?: Codec;
  readonly options?: Partial<DelayQueueOptions>;
  /** Resolved properties that a test wants otherwise than options allow. */
  readonly properties?: Partial<ConsumerProperties>;
}

/** One worker with a consumer queue on a memory store, and the means to send to it. */
export class Worker {
  readonly log = new RecordedLog();
  readonly engine: FlakyEngine;
  readonly registry: TopicRegistry;
  readonly queue: DelayConsumerQueue;
  readonly topic: string;
  readonly clock: Clock;

  constructor(handler: Handler, setting: Setting = {}) {
    this.topic = setting.topic ?? 'order:timeout';
    this.clock = setting.clock ?? systemClock;
    const factory = memoryEngine(setting.store === undefined ? {} : { store: setting.store });
    const properties = resolveProperties({
      engine: factory,
      clock: this.clock,
      logger: this.log,
      retry: { backoff: '1m' },
      ...setting.options,
    });
    const { namespace, codec, logger, clock } = properties;
    this.engine = new FlakyEngine(factory({ namespace, clock, logger }));
    this.registry = new TopicRegistry(this.engine, properties);
    this.queue = new DelayConsumerQueue(
      this.topic,
      handler,
      { ...properties.consumerOf(this.topic), ...setting.properties },
      {
        engine: this.engine,
        registry: this.registry,
        health: new EngineHealth(logger, 'test'),
        clock,
        codec: setting.codec ?? codec,
        logger,
      },
    );
    this.engine.watch((region, at) => {
      if (region.topic === this.topic) this.queue.hint(region.index, at);
    });
    onTestFinished(async () => {
      this.engine.recover();
      await this.queue.drain();
      await this.engine.close();
    });
  }

  /** Starts it; returns itself. */
  start(): this {
    this.queue.start();
    return this;
  }

  /** Stores messages of these ids, with the id as content unless `content` (encoded) is given. */
  async put(given: string | readonly string[], delayMs: number, content?: string): Promise<void> {
    const map = await this.registry.get(this.topic);
    const regions = new Map<number, string[]>();
    for (const id of typeof given === 'string' ? [given] : given) {
      const index = map.home(id);
      const group = regions.get(index);
      if (group === undefined) regions.set(index, [id]);
      else group.push(id);
    }
    for (const [index, group] of regions) {
      const messages = group.map((id) => ({
        id,
        due: { delayMs },
        content: content ?? JSON.stringify(id),
        onDuplicate: 'keep' as const,
      }));
      await this.engine.put({ topic: this.topic, index }, messages, { epoch: map.epoch });
    }
  }

  /** What the store has of an id. */
  async find(id: string): Promise<StoredMessage | undefined> {
    const map = await this.registry.get(this.topic);
    const region = { topic: this.topic, index: map.home(id) };
    const found = await this.engine.inspector?.find(region, id, { epoch: map.epoch });
    return found === 'moved' ? undefined : found;
  }

  /** Messages in the store, in all states, over all regions. */
  async counts(): Promise<{ waiting: number; running: number; dead: number }> {
    const map = await this.registry.get(this.topic);
    const sum = { waiting: 0, running: 0, dead: 0 };
    for (const index of map.regions) {
      const counts = await this.engine.inspector?.counts({ topic: this.topic, index });
      sum.waiting += counts?.waiting ?? 0;
      sum.running += counts?.running ?? 0;
      sum.dead += counts?.dead ?? 0;
    }
    return sum;
  }

  /** Pauses or resumes the topic. */
  async setPaused(paused: boolean): Promise<void> {
    const map = await this.registry.get(this.topic);
    await this.engine.inspector?.setPaused(this.topic, map.regions, paused);
  }
}

/** A started worker under a clock of its own. */
export function simulated(
  handler: Handler,
  setting: Omit<Setting, 'clock'> & { clock?: VirtualClock } = {},
): { worker: Worker; clock: VirtualClock } {
  const clock = setting.clock ?? new VirtualClock(1_000_000);
  return { worker: new Worker(handler, { ...setting, clock }).start(), clock };
}

/** `prefix0` … */
export function ids(count: number, prefix = 'm'): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}
