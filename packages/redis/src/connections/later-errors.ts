import { isClusterClient, type RedisClient, type SingleClient } from './redis-client.js';

/**
 * Bears what the sockets of a client still have to say after their first error. ioredis listens to that one only,
 * and a TLS socket that was destroyed because its certificate was refused may emit another: the server's alert.
 * Nobody would listen, and that ends the process.
 */
export function bearLaterErrors(client: RedisClient): RedisClient {
  if (isClusterClient(client)) {
    client.on('+node', (node) => bearLaterErrors(node as SingleClient));
    return client;
  }
  const bearThose = () => void client.stream?.off('error', bear).on('error', bear);
  // The first error is not always passed on, but the socket is always closed by it.
  client.on('error', bearThose);
  client.on('close', bearThose);
  return client;
}

const bear = (): void => undefined;
