import { DelayQueueError } from '@delay-queue/core';

/** The error of a consumer that would fail silently: names it, says what is wrong and what to do. */
export function bootError(label: string, problem: string): DelayQueueError {
  return new DelayQueueError('INVALID_OPTION', `${label}: ${problem}`);
}

/** The same error, of the same code, with the consumer's name in front. */
export function labelled(label: string, error: unknown): unknown {
  if (!(error instanceof DelayQueueError)) return error;
  return new DelayQueueError(error.code, `${label}: ${error.message}`, { cause: error });
}
