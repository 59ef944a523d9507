import type { RedisClient } from './redis-client.js';
import { withDeadline } from './with-deadline.js';

/** How long a socket may take to say goodbye. */
const GOODBYE_MS = 500;

/** Ends a client for good, within half a second whatever state it is in. Its unanswered commands reject. */
export async function disconnect(client: RedisClient): Promise<void> {
  if (client.status === 'end') return;
  // Without a socket ioredis stops without a further event.
  const silent = ['wait', 'reconnecting', 'close'].includes(client.status);
  const ended = new Promise<void>((resolve) => void client.on('end', () => resolve()));
  client.disconnect();
  if (silent) return;
  await withDeadline(ended, GOODBYE_MS, () => new Error('no goodbye')).catch(() => undefined);
}
