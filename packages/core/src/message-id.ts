import { describe } from './describe.js';
import { DelayQueueError } from './errors.js';
import { exceedsBytes, hasControlCharacters, isWellFormed } from './text-check.js';

const MAX_ID_BYTES = 256;

/**
 * Returns `id` if it may be a message id: a string of 1-256 bytes (UTF-8), well formed, no control characters.
 *
 * @throws DelayQueueError INVALID_ID
 */
export function checkId(id: unknown, what = 'id'): string {
  if (typeof id === 'string' && id !== '' && (isShortAscii(id) || isAllowed(id))) return id;
  throw new DelayQueueError(
    'INVALID_ID',
    `${what} must be a well-formed string of 1-${MAX_ID_BYTES} bytes without control characters; got ${describe(id)}`,
  );
}

/** The common case, decided without a regular expression. */
function isShortAscii(id: string): boolean {
  if (id.length > MAX_ID_BYTES) return false;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

const isAllowed = (id: string): boolean =>
  !exceedsBytes(id, MAX_ID_BYTES) && !hasControlCharacters(id) && isWellFormed(id);
