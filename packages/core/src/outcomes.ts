import type { DelayInput } from './duration.js';
import type { CancelOutcome, MessageState } from './engine.js';
import type { DelayQueueError } from './errors.js';
import type { SendOptions } from './options.js';

/** What became of a send. */
export interface SendResult {
  readonly id: string;
  /**
   * `stored`: new. `duplicate`: the id existed in `state`, nothing changed. `replaced`: took the other's place.
   * `queued`: the other one runs; this one follows it.
   */
  readonly outcome: 'stored' | 'duplicate' | 'replaced' | 'queued';
  /** With `duplicate`: where the other message was found. */
  readonly state?: MessageState;
}

/** One message of `sendMany`. */
export type SendItem<T = unknown> = SendOptions & { content: T } & (
    { delay: DelayInput; at?: never } | { at: Date | number; delay?: never }
  );

/** What became of one message of `sendMany`. */
export type SendManyResult =
  SendResult | { readonly id?: string; readonly outcome: 'failed'; readonly error: DelayQueueError };

/** What became of one id of `cancelMany`. */
export type CancelManyResult =
  | { readonly id: string; readonly outcome: CancelOutcome; readonly error?: never }
  | { readonly id: string; readonly outcome?: never; readonly error: DelayQueueError };

/** A message as `find` and the inspector show it. */
export interface FoundMessage<T = unknown> {
  readonly id: string;
  readonly topic: string;
  readonly state: MessageState;
  /** Due time (dead letters: when they died; handled: until when the id stays refused). Epoch milliseconds. */
  readonly dueAt: number;
  /** Handled: 0. */
  readonly sentAt: number;
  /** Deliveries that have ended; the one under way is not yet among them. Handled: 0. */
  readonly attempt: number;
  readonly failures: number;
  readonly crashes: number;
  /** `undefined` for handled ids, and where the codec cannot read it. */
  readonly content: T | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Why it is dead. */
  readonly reason?: string;
}
