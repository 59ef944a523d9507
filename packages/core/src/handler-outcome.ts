import type { DelayInput } from './duration.js';

/** Thrown by a handler: try again after `delay`, whatever the retry policy says; counts no failure. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';

  constructor(
    readonly delay: DelayInput,
    reason = 'retry later',
  ) {
    super(reason);
  }
}

/** Thrown by a handler: no further try, the message becomes a dead letter with this reason. */
export class DeadLetter extends Error {
  override readonly name = 'DeadLetter';

  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
  }
}
