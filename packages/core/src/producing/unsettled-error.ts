import { DelayQueueError } from '../errors.js';

/**
 * The error of a call that did not settle in time: with the code of the last try's failure if no try can have
 * been carried out, else TIMEOUT with `mayBeStored`.
 *
 * @param what such as `sending to 'order:timeout'`
 * @param why why it ends, such as `did not settle within 5000 ms`
 */
export function unsettledError(
  what: string,
  why: string,
  last: DelayQueueError | undefined,
  mayBeStored: boolean,
): DelayQueueError {
  const reason = last === undefined ? '' : `; the last try failed: ${last.message}`;
  if (mayBeStored) {
    return new DelayQueueError('TIMEOUT', `${what} ${why} and may have been carried out${reason}`, {
      mayBeStored,
      cause: last,
    });
  }
  return new DelayQueueError(last?.code ?? 'TIMEOUT', `${what} ${why}; nothing was done${reason}`, {
    cause: last,
  });
}
