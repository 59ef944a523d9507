import { nanoid } from 'nanoid';
import { reasonText } from './reason-text.js';
import { DelayQueueError } from './errors.js';
import { checkId } from './message-id.js';

/** Characters of a default id: 84 random bits, and one allocation class of Redis less than nanoid's own 21. */
const ID_LENGTH = 14;

/** The default generator. */
export const defaultIdGenerator = (): string => nanoid(ID_LENGTH);

/**
 * A new id. What a user's own generator makes is checked like a given id.
 *
 * @throws DelayQueueError INVALID_ID
 */
export function generateId(generator: () => string): string {
  if (generator === defaultIdGenerator) return nanoid(ID_LENGTH);
  let id: unknown;
  try {
    id = generator();
  } catch (error) {
    throw new DelayQueueError('INVALID_ID', `idGenerator failed: ${reasonText(error)}`, { cause: error });
  }
  return checkId(id, 'the id made by idGenerator');
}
