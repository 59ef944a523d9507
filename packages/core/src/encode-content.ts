import type { Codec } from './codec.js';
import { reasonText } from './reason-text.js';
import { describe } from './describe.js';
import { DelayQueueError } from './errors.js';
import { jsonCodec } from './json-codec.js';
import { exceedsBytes, isWellFormed } from './text-check.js';

/**
 * The text of a message's content, at most `maxBytes` in UTF-8.
 *
 * @throws DelayQueueError INVALID_CONTENT, CONTENT_TOO_LARGE
 */
export function encodeContent(content: unknown, codec: Codec, maxBytes: number): string {
  const text = codec === jsonCodec ? codec.encode(content) : encodeByUser(content, codec);
  if (!exceedsBytes(text, maxBytes)) return text;
  throw new DelayQueueError(
    'CONTENT_TOO_LARGE',
    `content takes ${Buffer.byteLength(text)} bytes, limits.maxContentBytes is ${maxBytes}; send a reference to it`,
  );
}

function encodeByUser(content: unknown, codec: Codec): string {
  let text: unknown;
  try {
    text = codec.encode(content);
  } catch (error) {
    if (error instanceof DelayQueueError) throw error;
    throw new DelayQueueError('INVALID_CONTENT', `codec.encode failed: ${reasonText(error)}`, {
      cause: error,
    });
  }
  if (typeof text === 'string' && isWellFormed(text)) return text;
  throw new DelayQueueError(
    'INVALID_CONTENT',
    `codec.encode must return well-formed text; got ${describe(text)}`,
  );
}
