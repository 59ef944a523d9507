import type { Codec } from '../codec.js';
import type { StoredMessage } from '../engine.js';
import type { FoundMessage } from '../outcomes.js';

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** A stored message as users see it. */
export function foundMessage<T>(topic: string, stored: StoredMessage, codec: Codec): FoundMessage<T> {
  const { id, state, dueAt, sentAt, deliveries, failures, crashes, headers, reason } = stored;
  return {
    id,
    topic,
    state,
    dueAt,
    sentAt,
    attempt: deliveries,
    failures,
    crashes,
    content: state === 'handled' ? undefined : decode<T>(stored.content, codec),
    headers: headers ?? NO_HEADERS,
    ...(reason !== undefined && { reason }),
  };
}

/** Content that cannot be read is shown as `undefined`; whoever looks has to see such messages above all. */
function decode<T>(content: string, codec: Codec): T | undefined {
  try {
    return codec.decode(content) as T;
  } catch {
    return undefined;
  }
}
