import type { DelayQueueProperties, TopicProperties } from '../delay-queue-properties.js';
import { readDelay, readMoment } from '../due.js';
import type { DelayInput } from '../duration.js';
import { encodeContent } from '../encode-content.js';
import { readHeaders } from '../headers.js';
import { defaultIdGenerator, generateId } from '../generate-id.js';
import { checkId } from '../message-id.js';
import { readDuration, readObject, readOneOf } from '../option-readers.js';
import type { SendOptions } from '../options.js';
import type { PreparedMessage } from './prepared-message.js';

const SEND_KEYS = [
  'id',
  'onDuplicate',
  'headers',
  'timeout',
] as const satisfies readonly (keyof SendOptions)[];
const ON_DUPLICATE = ['keep', 'reject', 'replace'] as const;
const LONGEST_TIMEOUT_MS = 3_600_000;
const NO_OPTIONS: SendOptions = {};

/** When a message is to be due, as the user said it. */
export type DueInput = { readonly delay: DelayInput } | { readonly at: unknown };

/** Validates what is sent to one topic. Everything is checked before anything is written. */
export class MessagePreparer {
  /** What the topic refuses. */
  readonly limits: TopicProperties;
  /** A topic's sends mostly say the same delay: the last one is not read again. */
  private lastDelay: string | undefined;
  private lastDelayMs = 0;

  constructor(
    topic: string,
    private readonly properties: DelayQueueProperties,
  ) {
    this.limits = properties.topic(topic);
  }

  /**
   * @throws DelayQueueError INVALID_DELAY, DELAY_TOO_LONG, INVALID_ID, INVALID_CONTENT, CONTENT_TOO_LARGE,
   * INVALID_OPTION
   */
  prepare(content: unknown, due: DueInput, options: SendOptions = NO_OPTIONS): PreparedMessage {
    const { maxDelayMs, maxContentBytes } = this.limits;
    const { idGenerator, codec, clock, producer } = this.properties;
    const given = options === NO_OPTIONS ? NO_OPTIONS : readObject(options, 'options', SEND_KEYS);

    const at = 'at' in due ? readMoment(due.at, clock.now(), maxDelayMs) : undefined;
    const delayMs = 'at' in due ? 0 : this.readDelay(due.delay);
    const generated = given.id === undefined;
    const id = generated ? generateId(idGenerator) : checkId(given.id);
    const text = encodeContent(content, codec, maxContentBytes);
    return {
      id,
      generated,
      mayCollide: !generated || idGenerator !== defaultIdGenerator,
      delayMs,
      at,
      content: text,
      weight: text.length + id.length,
      headers: readHeaders(given.headers),
      onDuplicate: readOneOf(given.onDuplicate, 'options.onDuplicate', ON_DUPLICATE) ?? 'keep',
      timeoutMs: readDuration(given.timeout, 'options.timeout', 1, LONGEST_TIMEOUT_MS) ?? producer.timeoutMs,
    };
  }

  private readDelay(delay: DelayInput): number {
    if (typeof delay !== 'string') return readDelay(delay, this.limits.maxDelayMs);
    if (delay !== this.lastDelay) {
      this.lastDelayMs = readDelay(delay, this.limits.maxDelayMs);
      this.lastDelay = delay;
    }
    return this.lastDelayMs;
  }
}
