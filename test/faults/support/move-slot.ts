import type { ClusterNode } from './cluster-play.js';

/** A slot on its way to another master. */
export interface SlotMove {
  /** Moves so many of the keys that have not moved yet, one by one. */
  moveKeys(count: number): Promise<void>;
  /** Moves the rest, and makes it known who has the slot. */
  finish(): Promise<void>;
}

/** Keys that are asked for at once; a region has fewer. */
const MOST_KEYS = 1_000;

/** Begins to move a slot, as `redis-cli --cluster reshard` does; `masters` are all that are to know in the end. */
export async function beginMove(
  slot: number,
  from: ClusterNode,
  to: ClusterNode,
  masters: readonly ClusterNode[],
): Promise<SlotMove> {
  await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id);
  await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id);
  const left = async () => (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, MOST_KEYS)) as string[];
  const moveKeys = async (count: number) => {
    for (const key of (await left()).slice(0, count)) {
      await from.client.call('MIGRATE', '127.0.0.1', to.server.port, key, 0, 5_000);
    }
  };
  return {
    moveKeys,
    async finish() {
      while ((await left()).length > 0) await moveKeys(MOST_KEYS);
      const others = masters.filter((node) => node !== to && node !== from);
      for (const { client } of [to, from, ...others]) {
        await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', to.id);
      }
    },
  };
}
