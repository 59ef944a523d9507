import { reasonText } from './reason-text.js';
import { DelayQueueError, type DelayQueueErrorCode } from './errors.js';

/**
 * What `read` gives. A user's value may be a proxy or have getters: whatever they throw becomes a typed error.
 *
 * @throws DelayQueueError `code`, saying that `what` cannot be read; errors of this kind pass as they are
 */
export function readable<Result>(what: string, code: DelayQueueErrorCode, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof DelayQueueError) throw error;
    throw new DelayQueueError(code, `${what} cannot be read: ${reasonText(error)}`, { cause: error });
  }
}
