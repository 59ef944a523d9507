import { isClusterClient, type RedisClient } from './redis-client.js';
import { withDeadline } from './with-deadline.js';

/**
 * Waits until a client is ready, starting it if nobody has.
 *
 * Rejects with the client's error when this try fails, as `givenUp` does, and after `waitMs` anyhow; the client
 * goes on trying by itself. (One that is ended while it waits for its next try says nothing more.)
 */
export function connectClient(client: RedisClient, waitMs: number, givenUp: Promise<never>): Promise<void> {
  const ready = Promise.race([connect(client), givenUp]);
  return withDeadline(ready, waitMs, () => new Error('no answer while connecting'));
}

async function connect(client: RedisClient): Promise<void> {
  const ready = nextReady(client);
  if (client.status === 'wait' || client.status === 'end') client.connect().catch(() => undefined);
  await ready;
  // A Cluster's node takes its first command while unconnected, but refuses the second: connect them all now.
  if (isClusterClient(client)) {
    const nodes = client.nodes('master').filter((node) => node.status === 'wait');
    await Promise.allSettled(nodes.map((node) => node.connect()));
  }
}

function nextReady(client: RedisClient): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      for (const [event, listener] of listeners) client.off(event, listener);
      settle();
    };
    const failed = (error?: unknown): void =>
      done(() => reject(error instanceof Error ? error : new Error('the connection was closed')));
    const listeners: readonly [string, (error?: unknown) => void][] = [
      ['ready', () => done(resolve)],
      ['error', failed],
      ['close', () => failed()],
      ['end', () => failed()],
    ];
    for (const [event, listener] of listeners) client.on(event, listener);
  });
}
