/** What a consumer gets along with the content. */
export interface DelayMessage<T = unknown> {
  readonly id: string;
  readonly topic: string;
  readonly content: T;
  /** When it was due, epoch milliseconds by the store's clock; after a retry the time of that retry. */
  readonly dueAt: number;
  /** When it was sent, by the store's clock. `(sentAt, attempt)` only grows for one id: a fencing number. */
  readonly sentAt: number;
  /** Deliveries that started, this one included: 1 at first, and it only grows. */
  readonly attempt: number;
  /** Earlier deliveries that failed. */
  readonly failures: number;
  /** Earlier deliveries whose process or lease was lost. */
  readonly crashes: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Aborted when the handler's time is up, the lease is lost or the process drains. A handler that computes without
   * a pause sees a lost lease if it reads `message.signal.aborted` anew.
   */
  readonly signal: AbortSignal;
}

/** What a consumer class implements. */
export interface ConsumerTask<T = unknown> {
  /**
   * Runs when a message is due. Returning settles it; throwing retries it by policy, then dead-letters it.
   * See `RetryLater` and `DeadLetter`. May be called more than once for a message: be idempotent.
   */
  execute(content: T, message: DelayMessage<T>): unknown;
  /** The topic, for tasks that are registered without `@DelayConsumer`. */
  topic?(): string;
}
