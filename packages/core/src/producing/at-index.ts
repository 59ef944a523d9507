import { DelayQueueError } from '../errors.js';

/** Calls `check`; its error says at which position of `list` it happened. */
export function atIndex<Result>(list: string, index: number, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof DelayQueueError)) throw error;
    throw new DelayQueueError(error.code, `${list}[${index}]: ${error.message}`, { index, cause: error });
  }
}
