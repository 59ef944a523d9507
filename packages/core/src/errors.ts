import type { MessageState } from './engine.js';

/** Every code a `DelayQueueError` can carry, with what it means. The list is documented in docs/errors.md. */
export const ERROR_CODES = {
  INVALID_OPTION:
    'an option of the module, a decorator or a call is unknown or has a value that is not allowed',
  INVALID_TOPIC: 'a topic name is not 1-128 characters of A-Z a-z 0-9 : . _ -',
  INVALID_ID: 'a message id is not a well-formed string of 1-256 bytes without control characters',
  INVALID_DELAY: 'a delay or a time is not one of the accepted forms, or is negative or not finite',
  INVALID_CONTENT: 'content or headers cannot be stored without loss',
  DELAY_TOO_LONG: 'the delay is longer than limits.maxDelay',
  CONTENT_TOO_LARGE: 'the encoded content is larger than limits.maxContentBytes',
  DUPLICATE: "a message of this id exists and onDuplicate is 'reject'",
  OVERFLOW: "producer.maxPending sends are unsettled and producer.overflow is 'reject'",
  TIMEOUT: 'the call did not settle in time; mayBeStored tells whether it may have been carried out',
  CLOSED: 'the delay queue is closed',
  UNAVAILABLE: 'the store cannot be reached or is not ready; nothing was done',
  OUT_OF_MEMORY: 'Redis has reached maxmemory and refuses to store; nothing was done',
  READ_ONLY: 'Redis refuses writes (replica, or persistence fails); nothing was done',
  UNSAFE_REDIS: 'the Redis server is too old, or under strict: true is set up in a way that loses messages',
  NOT_DURABLE: 'done and stored, but not confirmed as safely as the durability option asks',
  UNSUPPORTED: 'the engine, or the server behind it, does not offer this',
  STORE_FULL: 'the memory engine holds maxMessages messages',
} as const;

/** A code of the table. */
export type DelayQueueErrorCode = keyof typeof ERROR_CODES;

/** What an error may carry besides code and message. */
export interface DelayQueueErrorDetails {
  /** Whether the message may have been stored, or the call carried out, all the same: an earlier try's answer was lost. */
  readonly mayBeStored?: boolean;
  /** With `DUPLICATE`: the state in which the other message was found. */
  readonly state?: MessageState;
  /** From `sendMany` and `cancelMany`: the position of the item at fault. */
  readonly index?: number;
  readonly cause?: unknown;
}

/** The only kind of error that the delay queue throws. Its message names what was wrong and what was expected. */
export class DelayQueueError extends Error {
  override readonly name = 'DelayQueueError';
  readonly mayBeStored: boolean;
  readonly state?: MessageState;
  readonly index?: number;

  constructor(
    readonly code: DelayQueueErrorCode,
    message: string,
    details: DelayQueueErrorDetails = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.mayBeStored = details.mayBeStored ?? false;
    if (details.state !== undefined) this.state = details.state;
    if (details.index !== undefined) this.index = details.index;
  }
}
