import { GOODBYE_MS } from './client-options.js';
import type { RedisClient } from './redis-client.js';
import { withDeadline } from './with-deadline.js';

/** A client that has not ended by then is left to itself; its sockets are long closed. */
const LONGEST_MS = 250;

/**
 * Ends a client for good, within a quarter of a second whatever state it is in. Its unanswered commands reject, and
 * no timer of it is left.
 */
export async function disconnect(client: RedisClient): Promise<void> {
  if (client.status === 'end') return;
  // Between two sockets ioredis stops without a further event, but gives the old one its time to say goodbye.
  const silent = client.status === 'reconnecting' || client.status === 'close';
  const ended = new Promise<void>((resolve) => void client.on('end', () => resolve()));
  client.disconnect();
  await withDeadline(ended, silent ? GOODBYE_MS : LONGEST_MS, () => new Error('no goodbye')).catch(
    () => undefined,
  );
}
