// oxlint-disable-next-line typescript/triple-slash-reference -- the library has no types, and whoever compiles this file must find ours
/// <reference path="./cluster-key-slot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { isClusterClient, type RedisClient, type SingleClient } from './redis-client.js';

/** The client of the server that a key belongs to, as far as is known. */
export function nodeOf(client: RedisClient, key: string): SingleClient | undefined {
  if (!isClusterClient(client)) return client;
  const address = client.slots[calculateSlot(key)]?.[0];
  return client.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
}

/**
 * The same, ready for commands; `undefined` while a Cluster does not tell or its node is not connected. Then it is seen
 * to: nothing else would, since whoever goes past the Cluster's own routing never hears of a failover.
 */
export function ownerOf(client: RedisClient, key: string): SingleClient | undefined {
  const owner = nodeOf(client, key);
  if (!isClusterClient(client) || owner?.status === 'ready') return owner;
  if (owner?.status === 'wait') owner.connect().catch(() => undefined);
  else client.refreshSlotsCache();
  return undefined;
}
