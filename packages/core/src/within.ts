import type { Clock } from './clock.js';
import { DelayQueueError } from './errors.js';

/**
 * `promise`, or a rejection after `ms` by `clock`, so that nobody waits for ever for an answer that got lost.
 *
 * @throws DelayQueueError TIMEOUT with `mayBeStored`, saying that `what` got no answer
 */
export function within<Result>(
  clock: Clock,
  ms: number,
  promise: Promise<Result>,
  what: string,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(() => {
      reject(new DelayQueueError('TIMEOUT', `${what} got no answer within ${ms} ms`, { mayBeStored: true }));
    }, ms);
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
