import { nanoid } from 'nanoid';
import { reasonText } from './consuming/reason-text.js';
import { DelayQueueError } from './errors.js';
import { checkId } from './message-id.js';

/**
 * A new id. What a user's own generator makes is checked like a given id.
 *
 * @throws DelayQueueError INVALID_ID
 */
export function generateId(generator: () => string): string {
  if (generator === nanoid) return nanoid();
  let id: unknown;
  try {
    id = generator();
  } catch (error) {
    throw new DelayQueueError('INVALID_ID', `idGenerator failed: ${reasonText(error)}`, { cause: error });
  }
  return checkId(id, 'the id made by idGenerator');
}
