import { setTimeout as pass } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { RedisServer } from '../../support/redis-server.js';
import type { Stage, StageOptions } from './stage.js';

/** Breaks the server of a stage for about `forMs`; resolves when the fault is over. */
export type Fault = (stage: Stage, forMs: number) => Promise<void>;

/** The Redis user as which the fleet of a breakable stage connects, and its password. */
export const USER = { name: 'fleet', password: 'sesame' } as const;

/** A stage on which every fault of `FAULTS` can happen. */
export const BREAKABLE = {
  redis: [
    ...['--appendonly', 'yes', '--appendfsync', 'everysec'],
    ...['--enable-protected-configs', 'local', '--enable-debug-command', 'local'],
    ...['--user', USER.name, 'on', `>${USER.password}`, '~*', '&*', '+@all'],
  ],
  url: ({ port }: RedisServer) => Promise.resolve(`redis://${USER.name}:${USER.password}@127.0.0.1:${port}`),
} satisfies StageOptions;

/** Time between two blows of a fault that is struck again and again. */
const BETWEEN_KILLS_MS = 150;
const BETWEEN_FLUSHES_MS = 10;
/** Keys in another database that make loading slow. */
export const FILLERS = 500;

/** What can befall a Redis server of a breakable stage. */
export const FAULTS = {
  /** The process is killed, and started again on what its file holds; at a moment at which its disk keeps up. */
  'kill -9': async ({ client, server }, forMs) => {
    // While a sync is under way, everysec holds back for up to 2 s what it has already acknowledged.
    await expect
      .poll(() => client.info('persistence'), { interval: 10 })
      .toContain('aof_pending_bio_fsync:0\r');
    server.signal('SIGKILL');
    await pass(forMs);
    await server.restart();
  },
  /** The process is told to stop, and started again. */
  restart: async ({ server }, forMs) => {
    server.signal('SIGTERM');
    await pass(forMs);
    await server.restart();
  },
  /** The process stands still: its connections live, and nothing is answered. */
  SIGSTOP: async ({ server }, forMs) => {
    server.signal('SIGSTOP');
    await pass(forMs);
    server.signal('SIGCONT');
  },
  /** All connections of a kind break, again and again. */
  'CLIENT KILL': ({ client, dice }, forMs) =>
    repeatedly(forMs, BETWEEN_KILLS_MS, () =>
      client.call('CLIENT', 'KILL', 'TYPE', dice.pick(['normal', 'pubsub']), 'SKIPME', 'yes'),
    ),
  /** One connection after the other breaks. */
  'CLIENT KILL ID': ({ client, dice }, forMs) =>
    repeatedly(forMs, BETWEEN_KILLS_MS, async () => {
      const others = (await connections(client)).filter(({ user }) => user === USER.name);
      if (others.length > 0) await client.call('CLIENT', 'KILL', 'ID', dice.pick(others).id);
    }),
  /** Every command waits. */
  'CLIENT PAUSE ALL': (stage, forMs) => pause(stage, forMs, 'ALL'),
  /** Every command that may write waits. */
  'CLIENT PAUSE WRITE': (stage, forMs) => pause(stage, forMs, 'WRITE'),
  /** The script cache is emptied all the time. */
  'SCRIPT FLUSH': ({ client }, forMs) => repeatedly(forMs, BETWEEN_FLUSHES_MS, () => client.script('FLUSH')),
  /** Writes are refused for want of replicas (NOREPLICAS). */
  'too few replicas': ({ client }, forMs) => setFor(client, forMs, 'min-replicas-to-write', '1', '0'),
  /** Writes are refused because the last snapshot failed (MISCONF). */
  'failed snapshot': async ({ client, server }, forMs) => {
    await client.config('SET', 'save', '3600 1', 'dir', '/proc');
    await snapshot(client, 'err');
    await pass(forMs);
    await client.config('SET', 'dir', server.dir);
    await snapshot(client, 'ok');
    await client.config('SET', 'save', '');
  },
  /** The server is a replica of nobody (READONLY), then a master again. */
  REPLICAOF: async ({ client }, forMs) => {
    await client.replicaof('127.0.0.1', '1');
    await pass(forMs);
    await client.replicaof('NO', 'ONE');
  },
  /** Memory is full (OOM). */
  'full memory': ({ client }, forMs) => setFor(client, forMs, 'maxmemory', '1', '0'),
  /** The server loads its data anew, and slowly (LOADING). */
  loading: async ({ client }, forMs) => {
    await fill(client);
    await client.config('SET', 'loading-process-events-interval-bytes', '1024');
    await client.config('SET', 'key-load-delay', String(Math.ceil((forMs * 1_000) / FILLERS)));
    await client.call('DEBUG', 'RELOAD');
    await client.config('SET', 'key-load-delay', '0');
    await client.eval(`redis.call('SELECT', 1) redis.call('FLUSHDB')`, 0);
  },
  /** The fleet's password is another one, and its connections break; later it is the old one again. */
  'another password': async ({ client }, forMs) => {
    await client.call('ACL', 'SETUSER', USER.name, 'resetpass', '>open');
    await client.call('CLIENT', 'KILL', 'USER', USER.name);
    await pass(forMs);
    await client.call('ACL', 'SETUSER', USER.name, 'resetpass', `>${USER.password}`);
  },
} satisfies Record<string, Fault>;

/** The name of one of them. */
export type FaultName = keyof typeof FAULTS;

/** The connections of a server, each by what tells it from others. */
export async function connections(
  client: Redis,
): Promise<readonly { readonly id: string; readonly name: string; readonly user: string }[]> {
  const list = String(await client.client('LIST'));
  const field = (line: string, name: string) => new RegExp(`(?:^| )${name}=(\\S*)`).exec(line)?.[1] ?? '';
  return list
    .trim()
    .split('\n')
    .map((line) => ({ id: field(line, 'id'), name: field(line, 'name'), user: field(line, 'user') }));
}

/** Until so much time has passed, again and again. */
export async function repeatedly(forMs: number, pauseMs: number, act: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await act();
    await pass(pauseMs);
  }
}

/** Puts as many keys in database 1 as make loading take its time. */
export async function fill(client: Redis): Promise<void> {
  const lua = `redis.call('SELECT', 1) for i = 1, ARGV[1] do redis.call('SET', i, string.rep('x', 1024)) end`;
  await client.eval(lua, 0, FILLERS);
}

async function pause({ client }: Stage, forMs: number, kind: 'ALL' | 'WRITE'): Promise<void> {
  await client.call('CLIENT', 'PAUSE', String(forMs), kind);
  await pass(forMs);
}

async function setFor(client: Redis, forMs: number, name: string, bad: string, good: string): Promise<void> {
  await client.config('SET', name, bad);
  await pass(forMs);
  await client.config('SET', name, good);
}

async function snapshot(client: Redis, ends: 'ok' | 'err'): Promise<void> {
  await client.bgsave();
  await expect.poll(() => client.info('persistence')).toContain(`rdb_last_bgsave_status:${ends}\r`);
}
