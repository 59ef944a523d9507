import { Redis } from 'ioredis';
import { redisEngine, type RedisDurability } from '@delay-queue/redis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { slotOf } from '../support/slot-of.js';
import { message, REGION } from './messages.js';
import { makeEngine, openEngine, type TestEngine } from './open-engines.js';
import { startCluster } from './redis-cluster.js';

const EPOCH = { epoch: 1 };
const ONE_REPLICA: RedisDurability = { replicas: 1, timeout: 300 };
/** For what must be confirmed, however busy the machine is. */
const PATIENT: RedisDurability = { replicas: 1, timeout: '3s' };

describe('with a replica', () => {
  let master: RedisServer;
  let replica: RedisServer;
  let onReplica: Redis;

  beforeAll(async () => {
    master = await startRedis();
    replica = await startRedis([
      '--replicaof',
      `127.0.0.1 ${master.port}`,
      '--repl-diskless-sync-delay',
      '0',
    ]);
    onReplica = new Redis(replica.url);
    await vi.waitFor(
      async () => {
        if (!(await onReplica.info('replication')).includes('master_link_status:up'))
          throw new Error('no link');
      },
      { timeout: 20_000, interval: 50 },
    );
  }, 40_000);

  afterAll(async () => {
    onReplica.disconnect();
    await Promise.all([master.stop(), replica.stop()]);
  });

  const stored = (engine: TestEngine, id: string) =>
    onReplica.hexists(`{${engine.namespace}:order:timeout:0}:message`, id);

  const freeze = () => {
    replica.signal('SIGSTOP');
    onTestFinished(() => replica.signal('SIGCONT'));
  };

  it('what resolved is on the replica, put after put', async () => {
    const engine = await openEngine(master.url, { durability: PATIENT });
    for (let i = 0; i < 200; i++) {
      expect(await engine.put(REGION, [message(`a${i}`, 60_000)], EPOCH)).toEqual([{ outcome: 'stored' }]);
      expect(await stored(engine, `a${i}`)).toBe(1);
    }
    expect(await engine.cancel(REGION, ['a7'], EPOCH)).toEqual(['cancelled']);
    expect(await stored(engine, 'a7')).toBe(0);
    expect(engine.log.filter((line) => line.includes('durability'))).toEqual([]);
  });

  it('what no replica confirms in time rejects as stored, but not yet safe', async () => {
    const patient = await openEngine(master.url, { durability: PATIENT });
    await patient.put(REGION, [message('b', 60_000), message('c', 60_000)], EPOCH);
    const engine = await openEngine(master.url, { durability: ONE_REPLICA, namespace: patient.namespace });
    freeze();
    const refusal = {
      code: 'NOT_DURABLE',
      mayBeStored: true,
      message: expect.stringContaining('0 of 1 replicas') as string,
    };
    const begun = performance.now();
    await expect(engine.put(REGION, [message('a', 60_000)], EPOCH)).rejects.toMatchObject(refusal);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(295);
    await expect(engine.cancel(REGION, ['b'], EPOCH)).rejects.toMatchObject(refusal);
    await expect(engine.reschedule(REGION, 'c', { delayMs: 1 }, EPOCH)).rejects.toMatchObject(refusal);
    expect(await engine.inspector?.counts(REGION)).toMatchObject({ waiting: 2 });
  });

  it('a duplicate of what is not yet safe is no safer, also for another process', async () => {
    const one = await openEngine(master.url, { durability: ONE_REPLICA });
    const two = await openEngine(master.url, { durability: ONE_REPLICA, namespace: one.namespace });
    freeze();
    for (const engine of [one, one, two]) {
      await expect(engine.put(REGION, [message('a', 60_000)], EPOCH)).rejects.toMatchObject({
        code: 'NOT_DURABLE',
      });
    }
    replica.signal('SIGCONT');
    await vi.waitFor(async () =>
      expect(await two.put(REGION, [message('a', 60_000)], EPOCH)).toEqual([
        { outcome: 'duplicate', state: 'waiting' },
      ]),
    );
    expect(await stored(one, 'a')).toBe(1);
  });

  it('what is written while one waits shares the next wait, in whatever region', async () => {
    const timeout = 1_000;
    const engine = await openEngine(master.url, { durability: { replicas: 1, timeout } });
    freeze();
    const begun = performance.now();
    const codes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        engine
          .put({ ...REGION, index }, [message('a', 60_000)], EPOCH)
          .catch((error: { code: string }) => error.code),
      ),
    );
    expect(new Set(codes)).toEqual(new Set(['NOT_DURABLE']));
    expect(performance.now() - begun).toBeLessThan(5 * timeout);
  });

  it('what was written before the connection broke is not confirmed by the next one', async () => {
    const name = 'delay-queue:broken';
    const engine = await openEngine(master.url, { durability: PATIENT, namespace: 'broken' });
    await engine.put(REGION, [message('a', 60_000)], EPOCH);
    freeze();
    const admin = new Redis(master.url);
    onTestFinished(() => admin.disconnect());
    const answers = [0, 1].map((index) =>
      engine
        .put({ ...REGION, index }, [message('b', 60_000)], EPOCH)
        .catch((error: { code: string }) => error.code),
    );
    await expect.poll(async () => String(await admin.client('LIST'))).toContain(`cmd=wait`);
    for (const line of String(await admin.client('LIST')).split('\n')) {
      if (line.includes(`name=${name} `)) await admin.client('KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? '');
    }
    expect(await Promise.all(answers)).toEqual(['TIMEOUT', 'TIMEOUT']);
  });

  it('claims and settles do not wait', async () => {
    const engine = await openEngine(master.url, { durability: PATIENT });
    await engine.put(REGION, [message('a')], EPOCH);
    freeze();
    const slow = engine.put(REGION, [message('b')], EPOCH).catch((error: unknown) => error);
    const { lease = '' } = await vi.waitFor(async () => {
      const claim = await engine.claim(REGION, { max: 1, leaseMs: 30_000, maxCrashes: 5 });
      if (claim.lease === undefined) throw new Error('nothing was due');
      return claim;
    });
    await engine.settle(REGION, lease, [{ id: 'a', verdict: 'done' }], { dedupeMs: 0 });
    replica.signal('SIGCONT');
    expect(await slow).toEqual([{ outcome: 'stored' }]);
  });

  it('the wait also follows a script that the server had forgotten', async () => {
    const engine = await openEngine(master.url, { durability: ONE_REPLICA });
    const patient = await openEngine(master.url, { durability: PATIENT, namespace: engine.namespace });
    const admin = new Redis(master.url);
    onTestFinished(() => admin.disconnect());
    await patient.put(REGION, [message('a', 60_000)], EPOCH);
    freeze();
    await admin.script('FLUSH');
    await expect(engine.put(REGION, [message('b', 60_000)], EPOCH)).rejects.toMatchObject({
      code: 'NOT_DURABLE',
    });
  });

  it('fewer replicas than wanted are a warning at boot, and an error under strict', async () => {
    const engine = await openEngine(master.url, { durability: { replicas: 2, timeout: 500 } });
    expect(engine.log).toContainEqual(expect.stringContaining('asks for 2 replicas and 1 answer'));
    await expect(engine.put(REGION, [message('a')], EPOCH)).rejects.toMatchObject({ code: 'NOT_DURABLE' });
    const strict = makeEngine(master.url, { durability: { replicas: 2, timeout: 500 }, strict: true });
    await expect(strict.open()).rejects.toMatchObject({ code: 'UNSAFE_REDIS' });
  });

  it('fsync is confirmed by the disk, or is an error at boot that says what is missing', async () => {
    const engine = makeEngine(master.url, { durability: { fsync: true } });
    // Redis 7.0 has no WAITAOF; later ones refuse it as long as there is no append-only file.
    await expect(engine.open()).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('WAITAOF of Redis 7.2 or newer and appendonly yes') as string,
    });
  });
});

it('in a Cluster the replicas of the region count, not those of another master', async () => {
  const cluster = await startCluster(2);
  onTestFinished(() => cluster.stop());
  await cluster.addReplica(1);
  const engine = await openEngine(
    { nodes: cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })) },
    { durability: { replicas: 1, timeout: '2s' } },
  );
  const regions = Array.from({ length: 8 }, (_, index) => ({ topic: 'order:timeout', index }));
  const outcomes = await Promise.all(
    regions.map(async (region) => {
      const key = `{${engine.namespace}:order:timeout:${region.index}}:due`;
      const slot = Number(await cluster.clients[0]?.call('CLUSTER', 'KEYSLOT', key));
      const answer = await engine
        .put(region, [message('a', 60_000)], EPOCH)
        .catch((error: { code: string }) => error.code);
      return { replicated: slot >= 8_192, answer };
    }),
  );
  expect(new Set(outcomes.map(({ replicated }) => replicated)).size).toBe(2);
  for (const { replicated, answer } of outcomes) {
    expect(answer).toEqual(replicated ? [{ outcome: 'stored' }] : 'NOT_DURABLE');
  }
}, 60_000);

it('in a Cluster sends go on by themselves when a replica has taken over from a master', async () => {
  const cluster = await startCluster(2);
  onTestFinished(() => cluster.stop());
  const heir = await cluster.addReplica(1);
  await cluster.addReplica(1);
  const engine = await openEngine(
    { nodes: cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })) },
    { durability: PATIENT },
  );
  const indexes = Array.from({ length: 100 }, (_, index) => index);
  const index = indexes.find((i) => slotOf(`{${engine.namespace}:order:timeout:${i}}`) >= 8_192) ?? 0;
  const put = (id: string) =>
    engine.put({ topic: 'order:timeout', index }, [message(id, 60_000)], EPOCH).then(
      ([outcome]) => outcome,
      (error: { code: string }) => error.code,
    );
  expect(await put('a')).toEqual({ outcome: 'stored' });
  cluster.servers[1]?.signal('SIGKILL');
  const client = new Redis(heir.url);
  onTestFinished(() => client.disconnect());
  await client.call('CLUSTER', 'FAILOVER', 'TAKEOVER');
  let round = 0;
  await expect.poll(() => put(`b${round++}`)).toEqual({ outcome: 'stored' });
}, 60_000);

it.each([
  [{}, /durability must be replicas of at least 1/],
  [{ replicas: 0 }, /durability must be/],
  [{ replicas: 1.5 }, /durability.replicas must be a whole number from 0 to 16; got 1.5/],
  [{ replicas: '1' }, /durability.replicas/],
  [{ replicas: 1, timeout: '4s' }, /durability.timeout must be a duration from 1 to 3000 ms/],
  [{ replicas: 1, timeout: 'soon' }, /durability.timeout/],
  [{ fsync: 1 }, /durability.fsync must be true or false/],
  [{ replica: 1 }, /replica/],
  ['replica', /durability/],
  [null, /durability/],
])('durability: %j is refused by name', (durability, problem) => {
  expect(() =>
    redisEngine({ connection: 'redis://127.0.0.1:1', durability: durability as RedisDurability }),
  ).toThrow(
    expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringMatching(problem) as string }),
  );
});
