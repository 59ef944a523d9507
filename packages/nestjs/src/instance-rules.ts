import { DelayQueueError, describe } from '@delay-queue/core';
import { bootError } from './boot-error.js';
import type { FoundConsumer } from './find-consumers.js';

/**
 * Two instances of one name would share tokens: who injects it would get either.
 *
 * @throws DelayQueueError INVALID_OPTION
 */
export function oneInstancePerName(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new DelayQueueError(
    'INVALID_OPTION',
    `There are two delay queues named '${twice}' in this application: import one DelayQueueModule.forRoot for it, or give each a name of its own`,
  );
}

/**
 * The consumers that belong to the instance `name`.
 *
 * @throws DelayQueueError INVALID_OPTION for a consumer of an instance that does not exist
 */
export function ownConsumers(
  found: readonly FoundConsumer[],
  name: string,
  names: readonly string[],
): FoundConsumer[] {
  for (const { delayQueue, label } of found) {
    if (names.includes(delayQueue)) continue;
    throw bootError(
      label,
      `there is no delay queue named ${describe(delayQueue)} in this application, only ${names.map(describe).join(', ')}`,
    );
  }
  return found.filter((each) => each.delayQueue === name);
}

/**
 * Two consumers of a topic would each get some of its messages.
 *
 * @throws DelayQueueError INVALID_OPTION naming both
 */
export function oneConsumerPerTopic(found: readonly FoundConsumer[]): void {
  const byTopic = new Map<string, FoundConsumer>();
  for (const consumer of found) {
    const other = byTopic.get(consumer.topic);
    if (other !== undefined) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `Topic '${consumer.topic}' has two consumers, ${other.label} and ${consumer.label}: each message goes to one consumer, so keep one (a class provided in two modules is two providers: export it from one)`,
      );
    }
    byTopic.set(consumer.topic, consumer);
  }
}
