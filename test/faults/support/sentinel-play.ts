import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { startWatchedPair } from '../../support/redis-sentinel.js';
import type { RedisServer } from '../../support/redis-server.js';
import type { Loss } from './forget-lost.js';
import { openPlay, type Play, type PlayOptions } from './stage.js';

/** A fleet on a master with a replica, watched by Sentinel. */
export interface SentinelPlay extends Play {
  /** Kills the master; the replica takes its place, and the old master comes back as its replica. */
  failOver(): Promise<Loss>;
}

interface Node {
  readonly server: RedisServer;
  /** Of the test; waits for a server that is away. */
  readonly client: Redis;
}

/** Starts them, and sets up a fleet on them; all end with the test. */
export async function openSentinelPlay(options: PlayOptions): Promise<SentinelPlay> {
  const pair = await startWatchedPair();
  const first = nodeOf(pair.master);
  const second = nodeOf(pair.replica);
  const roles = async (): Promise<[master: Node, replica: Node]> =>
    (await pair.masterPort()) === first.server.port ? [first, second] : [second, first];
  const play = await openPlay(
    {
      url: `redis+sentinel://127.0.0.1:${pair.sentinelPort}/main`,
      masters: async () => [(await roles())[0].client],
      async stop() {
        for (const { client } of [first, second]) client.disconnect();
        await pair.stop();
      },
    },
    options,
  );
  return {
    ...play,
    async failOver() {
      const [master, replica] = await roles();
      master.server.signal('SIGKILL');
      const at = Date.now();
      // A master that comes back sooner takes writes that are lost when Sentinel makes it a replica.
      await expect.poll(() => pair.masterPort()).toBe(replica.server.port);
      await master.server.restart();
      await expect.poll(() => isMaster(master)).toBe(false);
      await pair.ready();
      return { from: at, to: at, concerns: () => true };
    },
  };
}

function nodeOf(server: RedisServer): Node {
  const client = new Redis(server.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  return { server, client };
}

async function isMaster({ client }: Node): Promise<boolean> {
  return (await client.role())[0] === 'master';
}
