import { expect } from 'vitest';
import { slotOfMessage, type ClusterPlay } from './cluster-play.js';
import type { Loss } from './forget-lost.js';

/** Kills a master of a Cluster; its replica takes its place, and it comes back as a replica. */
export async function failOver(play: ClusterPlay): Promise<Loss> {
  const { master: first, replica: second } = play.dice.pick(play.pairs);
  const firstIsMaster = (await first.client.role())[0] === 'master';
  const [master, replica] = firstIsMaster ? [first, second] : [second, first];
  const slots = await play.slotsOf(master);
  master.server.signal('SIGKILL');
  const at = Date.now();
  await expect.poll(async () => (await replica.client.role())[0]).toBe('master');
  await master.server.restart();
  await expect.poll(() => master.client.role()).toEqual(expect.arrayContaining(['slave', 'connected']));
  return {
    from: at,
    to: at,
    concerns: ({ topic, id }) => {
      const slot = slotOfMessage(play.namespace, topic, id);
      return slots.some(([from, to]) => from <= slot && slot <= to);
    },
  };
}
