import { DelayProduceQueue } from './delay-produce-queue.js';
import type { DelayInput } from './duration.js';
import type { CancelOutcome, RescheduleOutcome } from './engine.js';
import type { SendOptions } from './options.js';
import type { CancelManyResult, FoundMessage, SendItem, SendManyResult, SendResult } from './outcomes.js';
import type { Producer } from './producing/producer.js';
import { rejected } from './rejected.js';
import { TopicInspector } from './topic-inspector.js';

/**
 * What services inject: sends messages and asks for them, by topic.
 *
 * The verbs are those of `DelayProduceQueue`, which says how they fail; besides, INVALID_TOPIC.
 */
export class DelayQueueContext {
  private readonly queues = new Map<string, DelayProduceQueue>();

  constructor(private readonly producer: Producer) {}

  /** Stores a message that is due after `delay`; it is stored when this resolves. */
  send<T>(topic: string, content: T, delay: DelayInput, options?: SendOptions): Promise<SendResult> {
    try {
      return this.queue(topic).send(content, delay, options);
    } catch (error) {
      return rejected(error as Error);
    }
  }

  /** Stores a message that is due at a moment by the store's clock. */
  async sendAt<T>(topic: string, content: T, at: Date | number, options?: SendOptions): Promise<SendResult> {
    return this.queue(topic).sendAt(content, at, options);
  }

  /** Stores many messages; a result for each, in order. */
  async sendMany<T>(topic: string, items: readonly SendItem<T>[]): Promise<SendManyResult[]> {
    return this.queue(topic).sendMany(items);
  }

  /** Cancels a message; says truthfully whether it will never run. */
  async cancel(topic: string, id: string): Promise<CancelOutcome> {
    return this.queue(topic).cancel(id);
  }

  /** Cancels many messages; an outcome for each, in order. */
  async cancelMany(topic: string, ids: readonly string[]): Promise<CancelManyResult[]> {
    return this.queue(topic).cancelMany(ids);
  }

  /** Makes a waiting message due after `delay` from now. */
  async reschedule(topic: string, id: string, delay: DelayInput): Promise<RescheduleOutcome> {
    return this.queue(topic).reschedule(id, delay);
  }

  /** Looks a message up; `undefined` if it is unknown. */
  async find<T>(topic: string, id: string): Promise<FoundMessage<T> | undefined> {
    return (this.queue(topic) as DelayProduceQueue<T>).find(id);
  }

  /**
   * The same verbs, bound to a topic and typed.
   *
   * @throws DelayQueueError INVALID_TOPIC
   */
  topic<T>(name: string): DelayProduceQueue<T> {
    return this.queue(name) as DelayProduceQueue<T>;
  }

  /**
   * The reading and repairing side of a topic.
   *
   * @throws DelayQueueError INVALID_TOPIC; UNSUPPORTED if the engine has none
   */
  inspect(topic: string): TopicInspector {
    return new TopicInspector(this.queue(topic).topic, this.producer);
  }

  private queue(topic: string): DelayProduceQueue {
    let queue = this.queues.get(topic);
    if (queue === undefined) {
      queue = new DelayProduceQueue(topic, this.producer);
      this.queues.set(topic, queue);
    }
    return queue;
  }
}
