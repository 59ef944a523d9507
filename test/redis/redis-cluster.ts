import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { freePort, startRedis, type RedisServer } from '../support/redis-server.js';

/** A Cluster of masters on this machine, each with a share of the slots. */
export interface TestCluster {
  readonly servers: readonly RedisServer[];
  readonly clients: readonly Redis[];
  /** Adds a replica of master `index`, and waits until it has caught up and all nodes know each other. */
  addReplica(index: number): Promise<RedisServer>;
  /** Ends its clients, those to replicas too; the servers go on. */
  disconnect(): void;
  stop(): Promise<void>;
}

const SLOTS = 16_384;
const ARGS = [
  '--cluster-enabled',
  'yes',
  '--cluster-node-timeout',
  '2000',
  '--cluster-require-full-coverage',
  'no',
  '--repl-diskless-sync-delay',
  '0',
];

/** Starts a Cluster and waits until every node knows it is up; `args` for each server come last, and win. */
export async function startCluster(size: number, args: readonly string[] = []): Promise<TestCluster> {
  const startNode = () => launchNode(args);
  const nodes = await Promise.all(Array.from({ length: size }, startNode));
  const servers = nodes.map(({ server }) => server);
  const replicas: RedisServer[] = [];
  const clients = servers.map(({ url }) => new Redis(url));
  /** Of all nodes, replicas too. */
  const members = [...clients];
  await Promise.all(
    clients.map(async (client, i) => {
      client.on('error', () => undefined);
      const share = SLOTS / size;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil(i * share), Math.ceil((i + 1) * share) - 1);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    }),
  );
  // Only now: an epoch can be set only while a node knows no other.
  for (const client of clients.slice(1)) {
    await meet(client, nodes[0]);
  }
  await vi.waitFor(
    async () => {
      for (const client of clients) {
        const info = String(await client.call('CLUSTER', 'INFO'));
        if (!info.includes('cluster_state:ok') || !info.includes(`cluster_slots_ok:${SLOTS}`)) {
          throw new Error(`the Cluster is not up: ${info}`);
        }
      }
    },
    { timeout: 20_000, interval: 50 },
  );
  const disconnect = () => {
    for (const client of members) client.disconnect();
  };
  return {
    servers,
    clients,
    disconnect,
    async addReplica(index) {
      const { server: replica } = await startNode();
      replicas.push(replica);
      const client = new Redis(replica.url);
      client.on('error', () => undefined);
      const masterId = String(await clients[index]?.call('CLUSTER', 'MYID'));
      await meet(client, nodes[index]);
      await vi.waitFor(() => client.call('CLUSTER', 'REPLICATE', masterId), {
        timeout: 20_000,
        interval: 50,
      });
      await vi.waitFor(
        async () => {
          if (!(await client.info('replication')).includes('master_link_status:up'))
            throw new Error('no link');
        },
        { timeout: 20_000, interval: 50 },
      );
      members.push(client);
      await allKnowEachOther(members);
      return replica;
    },
    async stop() {
      disconnect();
      await Promise.all([...servers, ...replicas].map((server) => server.stop()));
    },
  };
}

/** So that nobody has to hear of a node that takes over from one that is gone. */
async function allKnowEachOther(members: readonly Redis[]): Promise<void> {
  const ids = await Promise.all(members.map((member) => member.call('CLUSTER', 'MYID')));
  await vi.waitFor(
    async () => {
      for (const member of members) {
        const known = String(await member.call('CLUSTER', 'NODES'));
        if (!ids.every((id) => known.includes(String(id)))) throw new Error(`one knows only ${known}`);
      }
    },
    { timeout: 20_000, interval: 50 },
  );
}

interface Node {
  readonly server: RedisServer;
  /** Where it talks to other nodes. By default its port plus 10,000, which may be taken or too high. */
  readonly busPort: number;
}

async function launchNode(args: readonly string[]): Promise<Node> {
  const busPort = await freePort();
  return { server: await startRedis([...ARGS, '--cluster-port', `${busPort}`, ...args]), busPort };
}

async function meet(client: Redis, node: Node | undefined): Promise<void> {
  if (node === undefined) throw new Error('the Cluster has no such master');
  await client.call('CLUSTER', 'MEET', '127.0.0.1', node.server.port, node.busPort);
}
