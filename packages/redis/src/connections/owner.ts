// oxlint-disable-next-line typescript/triple-slash-reference -- the library has no types, and whoever compiles this file must find ours
/// <reference path="./cluster-key-slot.d.ts" />
import calculateSlot from 'cluster-key-slot';
import { isClusterClient, type RedisClient, type SingleClient } from './redis-client.js';

/** The client of the server that a key belongs to, as far as is known; `undefined` while a Cluster does not tell. */
export function ownerOf(client: RedisClient, key: string): SingleClient | undefined {
  if (!isClusterClient(client)) return client;
  const address = client.slots[calculateSlot(key)]?.[0];
  return client.nodes('master').find(({ options }) => `${options.host}:${options.port}` === address);
}
