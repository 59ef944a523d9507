import { describe } from '../describe.js';
import { DelayQueueError } from '../errors.js';
import { readObject } from '../option-readers.js';
import type { SendOptions } from '../options.js';
import type { SendItem } from '../outcomes.js';
import { atIndex } from './at-index.js';
import { readList } from '../read-list.js';
import type { MessagePreparer } from './message-preparer.js';
import type { PreparedMessage } from './prepared-message.js';

const ITEM_KEYS = [
  'content',
  'delay',
  'at',
  'id',
  'onDuplicate',
  'headers',
  'timeout',
] as const satisfies readonly (keyof SendItem)[];

/**
 * Validates all messages of a `sendMany`.
 *
 * @throws DelayQueueError with the position of the first message at fault as `index`
 */
export function prepareItems(items: readonly SendItem[], preparer: MessagePreparer): PreparedMessage[] {
  const list = readList(items);
  if (list === undefined) {
    throw new DelayQueueError('INVALID_CONTENT', `items must be an array; got ${describe(items)}`);
  }
  return list.map((item, index) => atIndex('items', index, () => prepareItem(item, preparer)));
}

function prepareItem(item: unknown, preparer: MessagePreparer): PreparedMessage {
  const { content, delay, at, ...options } = readObject(item ?? null, 'the item', ITEM_KEYS);
  if ((delay === undefined) === (at === undefined)) {
    throw new DelayQueueError('INVALID_DELAY', 'an item must have either delay or at');
  }
  const due = at === undefined ? { delay: delay as number } : { at };
  return preparer.prepare(content, due, options as SendOptions);
}
