import type { DelayInput } from './duration.js';
import { describe } from './describe.js';
import { readDelay } from './due.js';
import type { CancelOutcome, RescheduleOutcome } from './engine.js';
import { DelayQueueError } from './errors.js';
import { checkId } from './message-id.js';
import type { SendOptions } from './options.js';
import type { CancelManyResult, FoundMessage, SendItem, SendManyResult, SendResult } from './outcomes.js';
import { cancelling, finding, rescheduling, type Found } from './producing/ask-work.js';
import { atIndex } from './producing/at-index.js';
import { closedError } from './producing/closed-error.js';
import { foundMessage } from './producing/found-message.js';
import { MessagePreparer } from './producing/message-preparer.js';
import { prepareItems } from './producing/prepare-items.js';
import type { PreparedMessage } from './producing/prepared-message.js';
import type { Producer } from './producing/producer.js';
import { settleAll } from './producing/settle-all.js';
import { TopicAsks } from './producing/topic-asks.js';
import { TopicRouter } from './producing/topic-router.js';
import { TopicSends } from './producing/topic-sends.js';
import { readList } from './read-list.js';
import { rejected } from './rejected.js';
import { checkTopic } from './topic-name.js';

/**
 * The producing side of one topic: `DelayQueueContext`'s verbs, bound to it and typed.
 *
 * Every call validates its arguments before anything is written and settles within `producer.timeout`, whatever
 * the store does. Every rejection is a `DelayQueueError`.
 */
export class DelayProduceQueue<T = unknown> {
  private readonly preparer: MessagePreparer;
  private readonly sends: TopicSends;
  private readonly cancels: TopicAsks<CancelOutcome>;
  private readonly reschedules: TopicAsks<RescheduleOutcome>;
  private readonly finds: TopicAsks<Found> | undefined;

  /** @throws DelayQueueError INVALID_TOPIC */
  constructor(
    readonly topic: string,
    private readonly producer: Producer,
  ) {
    checkTopic(topic);
    const { engine, clock, properties } = producer;
    const router = new TopicRouter(topic, producer);
    this.preparer = new MessagePreparer(topic, properties);
    this.sends = new TopicSends(topic, producer, router);
    this.cancels = new TopicAsks(topic, cancelling(engine), producer, router);
    const hintOf = (): ReturnType<Producer['hintOf']> => producer.hintOf(topic);
    this.reschedules = new TopicAsks(topic, rescheduling(engine, clock, hintOf), producer, router);
    const { inspector } = engine;
    this.finds = inspector && new TopicAsks(topic, finding(inspector), producer, router);
  }

  /**
   * Stores a message that is due after `delay`; it is stored when this resolves.
   *
   * @throws DelayQueueError INVALID_DELAY, DELAY_TOO_LONG, INVALID_ID, INVALID_CONTENT, CONTENT_TOO_LARGE,
   * INVALID_OPTION before anything is written; DUPLICATE, OVERFLOW, STORE_FULL; TIMEOUT, UNAVAILABLE,
   * OUT_OF_MEMORY or READ_ONLY when the timeout is over (see `mayBeStored`); CLOSED
   */
  send(content: T, delay: DelayInput, options?: SendOptions): Promise<SendResult> {
    try {
      return this.start(this.preparer.prepare(content, { delay }, options));
    } catch (error) {
      return rejected(error as Error);
    }
  }

  /** Like `send`, due at a moment by the store's clock; one in the past is due now. */
  sendAt(content: T, at: Date | number, options?: SendOptions): Promise<SendResult> {
    try {
      return this.start(this.preparer.prepare(content, { at }, options));
    } catch (error) {
      return rejected(error as Error);
    }
  }

  /**
   * Sends many messages. Bad input in any of them rejects the call before anything is written and names the item
   * (`error.index`); after that it never rejects, and there is a result for each message, in order.
   */
  async sendMany(items: readonly SendItem<T>[]): Promise<SendManyResult[]> {
    this.checkOpen();
    const messages = prepareItems(items, this.preparer);
    return settleAll<PreparedMessage, SendManyResult>(messages, (message, settle) =>
      this.sends.start(message, settle, (error) => settle({ id: message.id, outcome: 'failed', error })),
    );
  }

  /**
   * Cancels a message. `cancelled`, for a message whose send has resolved, means that it never runs.
   *
   * @throws DelayQueueError INVALID_ID; TIMEOUT also when the id is unknown after a try whose answer was lost
   */
  async cancel(id: string): Promise<CancelOutcome> {
    this.checkOpen();
    checkId(id);
    return new Promise((resolve, reject) => this.cancels.start(id, resolve, reject));
  }

  /**
   * Cancels many messages. A bad id rejects the call before any is cancelled; after that it never rejects, and
   * there is an outcome or an error for each id, in order.
   */
  async cancelMany(ids: readonly string[]): Promise<CancelManyResult[]> {
    this.checkOpen();
    const list = readList(ids)?.map((id, index) => atIndex('ids', index, () => checkId(id)));
    if (list === undefined) {
      throw new DelayQueueError('INVALID_ID', `ids must be an array of ids; got ${describe(ids)}`);
    }
    return settleAll<string, CancelManyResult>(list, (id, settle) =>
      this.cancels.start(
        id,
        (outcome) => settle({ id, outcome }),
        (error) => settle({ id, error }),
      ),
    );
  }

  /** Makes a waiting message due after `delay` from now. */
  async reschedule(id: string, delay: DelayInput): Promise<RescheduleOutcome> {
    this.checkOpen();
    checkId(id);
    const delayMs = readDelay(delay, this.preparer.limits.maxDelayMs);
    return new Promise((resolve, reject) => this.reschedules.start(id, resolve, reject, delayMs));
  }

  /**
   * Looks a message up; `undefined` if it is unknown.
   *
   * @throws DelayQueueError UNSUPPORTED if the engine cannot
   */
  async find(id: string): Promise<FoundMessage<T> | undefined> {
    this.checkOpen();
    checkId(id);
    const { finds } = this;
    if (finds === undefined) throw new DelayQueueError('UNSUPPORTED', 'this engine cannot find messages');
    const { message } = await new Promise<Found>((resolve, reject) => finds.start(id, resolve, reject));
    return message && foundMessage<T>(this.topic, message, this.producer.properties.codec);
  }

  private start(message: PreparedMessage): Promise<SendResult> {
    this.checkOpen();
    return new Promise((resolve, reject) => this.sends.start(message, resolve, reject));
  }

  private checkOpen(): void {
    if (this.producer.closed) throw closedError(this.producer.properties.name);
  }
}
