import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RedisConnection } from '@delay-queue/redis';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { startSecureRedis } from '../support/secure-redis.js';
import { claimSome, putNew, REGION } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';

let server: RedisServer;
let admin: Redis;

beforeEach(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
  admin.on('error', () => undefined);
});

afterEach(async () => {
  admin.disconnect();
  await server.stop();
});

/** Everything an engine does, once, with a hint. */
async function useAll(engine: TestEngine): Promise<void> {
  const hints: number[] = [];
  engine.watch((_region, at) => hints.push(at));
  let index = 1;
  await expect
    .poll(async () => {
      await engine.put({ topic: 'hints', index: index++ }, [], { epoch: 1 });
      await engine.put(
        { topic: 'hints', index },
        [{ id: 'x', due: { delayMs: 0 }, content: '1', onDuplicate: 'keep' }],
        { epoch: 1 },
      );
      return hints.length;
    })
    .toBeGreaterThan(0);
  await putNew(engine);
  const { lease, messages } = await claimSome(engine);
  expect(messages).toHaveLength(1);
  expect(await engine.renew(REGION, [lease], 30_000)).toEqual([]);
  expect(
    await engine.settle(REGION, lease, [{ id: messages[0]?.id ?? '', verdict: 'done' }], { dedupeMs: 0 }),
  ).toEqual({
    stale: [],
    superseded: [],
  });
}

interface ClientLine {
  readonly name: string;
  readonly db: string;
}

/** The engine's connections as the server sees them. */
async function clientsOf(engine: TestEngine, connection: Redis = admin): Promise<ClientLine[]> {
  const list = String(await connection.client('LIST'));
  return list
    .trim()
    .split('\n')
    .map((line) => ({ name: /name=(\S*)/.exec(line)?.[1] ?? '', db: /db=(\d+)/.exec(line)?.[1] ?? '' }))
    .filter(({ name }) => name.startsWith(`delay-queue:${engine.namespace}`));
}

describe('the connections', () => {
  it('are as many as are needed, and made when they are', async () => {
    const engine = await openEngine(server.url);
    await engine.topology('t');
    expect(await clientsOf(engine)).toHaveLength(1);
    await putNew(engine);
    expect(await clientsOf(engine)).toHaveLength(1);
    await claimSome(engine);
    expect(await clientsOf(engine)).toHaveLength(2);
    await useAll(engine);
    expect(await clientsOf(engine)).toHaveLength(3);
  });

  it('of a process that only consumes are two', async () => {
    const engine = await openEngine(server.url);
    await engine.topology('t');
    engine.watch(() => undefined);
    await engine.claim(REGION, { max: 1, leaseMs: 30_000, maxCrashes: 5 });
    await engine.topology('t');
    await expect.poll(() => clientsOf(engine)).toHaveLength(2);
  });

  it.each<[string, () => RedisConnection]>([
    ['a URL', () => `${server.url}/3`],
    ['options', () => ({ port: server.port, db: 3 })],
    ['options that would ruin it', () => ({ port: server.port, db: 3, ...RUINOUS })],
    ['a client', () => template(new Redis({ port: server.port, db: 3, lazyConnect: true }))],
    [
      'a client that would ruin it',
      () => template(new Redis({ port: server.port, db: 3, lazyConnect: true, ...RUINOUS })),
    ],
    [
      'a client of ioredis 5',
      () => template(new Redis5({ port: server.port, db: 3, lazyConnect: true }) as unknown as Redis),
    ],
  ])('made from %s all use its database', async (_name, connection) => {
    const engine = await openEngine(connection());
    await useAll(engine);
    expect((await clientsOf(engine)).map(({ db }) => db)).toEqual(['3', '3', '3']);
    expect(await admin.dbsize()).toBe(0);
    await engine.close();
    for (const client of templates.splice(0)) expect(client.status).toBe('wait');
  });

  it('come back although the client handed in would have given up', async () => {
    const client = new Redis({ port: server.port, lazyConnect: true, ...RUINOUS });
    const engine = await openEngine(client);
    await useAll(engine);
    server.signal('SIGKILL');
    await expect
      .poll(() =>
        putNew(engine).then(
          () => 'fine',
          () => 'away',
        ),
      )
      .toBe('away');
    await server.restart();
    await expect
      .poll(
        () =>
          putNew(engine).then(
            () => 'fine',
            () => 'away',
          ),
        { timeout: 5_000 },
      )
      .toBe('fine');
    await expect
      .poll(
        () =>
          claimSome(engine).then(
            () => 'fine',
            () => 'away',
          ),
        { timeout: 5_000 },
      )
      .toBe('fine');
  });

  it('leave no listener on a client handed in, however many engines use it', async () => {
    const client = new Redis({ port: server.port, lazyConnect: true });
    const before = client.eventNames().map((name) => client.listenerCount(name));
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    for (let i = 0; i < 20; i++) {
      const engine = await openEngine(client);
      await Promise.all(Array.from({ length: 20 }, () => putNew(engine)));
      await engine.close();
    }
    process.off('warning', warned);
    expect(client.eventNames().map((name) => client.listenerCount(name))).toEqual(before);
    expect(warnings).toEqual([]);
    await expect
      .poll(() => admin.client('LIST').then((list) => String(list).trim().split('\n').length))
      .toBe(1);
  });
});

/** Settings of a user that would make a queue hang, lose or double. */
const RUINOUS = {
  retryStrategy: () => null,
  maxRetriesPerRequest: null,
  enableOfflineQueue: true,
  autoResendUnfulfilledCommands: true,
  commandTimeout: 1,
  enableAutoPipelining: true,
  stringNumbers: true,
  enableReadyCheck: false,
} as const;

const templates: Redis[] = [];
const template = (client: Redis): Redis => {
  templates.push(client);
  return client;
};

it('TLS is used by every connection, with user and password', async () => {
  const secure = await startSecureRedis();
  const { tlsPort, ca } = secure;
  const over = new Redis(secure.server.url);
  try {
    await over.call('ACL', 'SETUSER', 'queue', 'on', '>se same@', '~*', '&*', '+@all');
    const options = {
      host: 'localhost',
      port: tlsPort,
      username: 'queue',
      password: 'se same@',
      db: 2,
      tls: { ca },
    };
    for (const connection of [options, new Redis({ ...options, lazyConnect: true })]) {
      const engine = await openEngine(connection);
      await useAll(engine);
      expect((await clientsOf(engine, over)).map(({ db }) => db)).toEqual(['2', '2', '2']);
      await engine.close();
    }
    const list = String(await over.client('LIST'));
    expect(list).not.toContain('user=queue');
    // Nobody vouches for this certificate, and that is said.
    const engine = await openEngine(`rediss://queue:se%20same%40@localhost:${tlsPort}/2`, {
      strict: true,
    }).catch((error: unknown) => error);
    expect(engine).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/self.signed/) as string,
    });
  } finally {
    over.disconnect();
    await secure.stop();
  }
});
