import { jumpHashSelector } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { startCluster } from '../../redis/redis-cluster.js';
import type { RedisServer } from '../../support/redis-server.js';
import { slotOf } from '../../support/slot-of.js';
import { openPlay, type Play, type PlayOptions } from './stage.js';
import { TOPIC } from './work.js';

/** So many that each of three masters has some. */
export const REGIONS = 16;
/** How long a server may be silent until the others count it as gone: a busy machine alone must not do it. */
const NODE_TIMEOUT_MS = 5_000;
const MASTERS = 3;

/** One server of a Cluster. */
export interface ClusterNode {
  readonly server: RedisServer;
  /** Of the test; waits for a server that is away. */
  readonly client: Redis;
  /** How the Cluster calls it. */
  readonly id: string;
}

/** A fleet on a Cluster. */
export interface ClusterPlay extends Play {
  /** The first masters, each with the replica that stands by for it. */
  readonly pairs: readonly { readonly master: ClusterNode; readonly replica: ClusterNode }[];
  /** Those that have the slots now. */
  masters(): Promise<readonly ClusterNode[]>;
  /** The ranges of slots that one of them has. */
  slotsOf(master: ClusterNode): Promise<readonly [first: number, last: number][]>;
}

/** Starts three masters with a replica each, and sets up a fleet on them; all end with the test. */
export async function openClusterPlay({ env = {}, ...options }: PlayOptions = {}): Promise<ClusterPlay> {
  const args = ['--cluster-node-timeout', String(NODE_TIMEOUT_MS), '--appendonly', 'yes'];
  const cluster = await startCluster(MASTERS, args);
  const nodes: ClusterNode[] = [];
  const join = async (server: RedisServer): Promise<ClusterNode> => {
    const client = new Redis(server.url, { maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    const node = { server, client, id: String(await client.call('CLUSTER', 'MYID')) };
    nodes.push(node);
    return node;
  };
  const pairs: { master: ClusterNode; replica: ClusterNode }[] = [];
  for (const [i, server] of cluster.servers.entries()) {
    pairs.push({ master: await join(server), replica: await join(await cluster.addReplica(i)) });
  }
  // Each server has one connection of the test; whatever else is there is the fleet's.
  cluster.disconnect();
  const masters = async () => {
    const roles = await Promise.all(nodes.map(({ client }) => client.role()));
    return nodes.filter((_, i) => roles[i]?.[0] === 'master');
  };
  const play = await openPlay(
    {
      url: `redis+cluster://${nodes.map(({ server }) => `127.0.0.1:${server.port}`).join(',')}`,
      masters: async () => (await masters()).map(({ client }) => client),
      async stop() {
        for (const { client } of nodes) client.disconnect();
        await cluster.stop();
      },
    },
    { env: { REGIONS: String(REGIONS), ...env }, ...options },
  );
  return {
    ...play,
    pairs,
    masters,
    slotsOf,
  };
}

/** The slot of a region. */
export const slotOfRegion = (namespace: string, topic: string, index: number): number =>
  slotOf(`{${namespace}:${topic}:${index}}`);

/** The slot of the registry of topics. */
export const slotOfRegistry = (namespace: string): number => slotOf(`{${namespace}}:topics`);

/** The slot of a message. */
export const slotOfMessage = (namespace: string, topic: string, id: string): number =>
  slotOfRegion(namespace, topic, jumpHashSelector.select(id, REGIONS));

/** Waits until every master has regions with messages; tells which, by master. */
export async function spread(play: ClusterPlay): Promise<readonly (readonly number[])[]> {
  const found = new Map<string, Set<number>>();
  const look = async () => {
    for (const { client, id } of await play.masters()) {
      for (const key of await client.keys(`{${play.namespace}:${TOPIC}:*}:message`)) {
        found.set(id, (found.get(id) ?? new Set()).add(Number(/:(\d+)\}/.exec(key)?.[1])));
      }
    }
    return [...found.values()].reduce((sum, { size }) => sum + size, 0);
  };
  await expect.poll(look).toBe(REGIONS);
  return [...found.values()].map((regions) => [...regions].sort((a, b) => a - b));
}

/** How often a master answered with errors, by their first word. */
export async function errorReplies({ client }: ClusterNode): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const [, error = '', count] of (await client.info('errorstats')).matchAll(
    /errorstat_(\w+):count=(\d+)/g,
  )) {
    counts[error] = Number(count);
  }
  return counts;
}

/** The ranges of slots that a node knows as its own. */
async function slotsOf({ client, id }: ClusterNode): Promise<readonly [number, number][]> {
  const lines = String(await client.call('CLUSTER', 'NODES')).split('\n');
  const own = lines.find((line) => line.startsWith(id)) ?? '';
  // <id> <address> <flags> <master> <ping> <pong> <epoch> <link> <slots…>
  const ranges = own
    .split(' ')
    .slice(8)
    .filter((range) => !range.startsWith('['));
  return ranges.map((range) => {
    const [first = NaN, last = first] = range.split('-').map(Number);
    return [first, last];
  });
}
