import { describe } from './describe.js';
import { DelayQueueError } from './errors.js';

const TOPIC = /^[A-Za-z0-9:._-]{1,128}$/;

/**
 * Returns `topic` if it is a topic name: 1-128 of `A-Z a-z 0-9 : . _ -`.
 *
 * @throws DelayQueueError INVALID_TOPIC, naming `what` was wrong
 */
export function checkTopic(topic: unknown, what = 'topic'): string {
  if (typeof topic === 'string' && TOPIC.test(topic)) return topic;
  throw new DelayQueueError(
    'INVALID_TOPIC',
    `${what} must be a string of 1-128 characters of A-Z a-z 0-9 : . _ -; got ${describe(topic)}`,
  );
}
