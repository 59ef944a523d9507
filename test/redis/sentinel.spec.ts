import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, type RedisServer } from '../support/redis-server.js';
import { startWatchedPair, type WatchedPair } from '../support/redis-sentinel.js';
import { claimSome, putDue, putNew } from './messages.js';
import { makeEngine, openEngine } from './open-engines.js';

let pair: WatchedPair;
let master: RedisServer;
let replica: RedisServer;
let sentinelPort: number;

beforeAll(async () => {
  pair = await startWatchedPair();
  ({ master, replica, sentinelPort } = pair);
}, 40_000);

afterAll(() => pair.stop());

it('Sentinel leads to the master, and after a failover to the new one', async () => {
  const engine = await openEngine(`redis+sentinel://127.0.0.1:${sentinelPort}/main/2`);
  const hints: number[] = [];
  engine.watch((_region, at) => hints.push(at));
  await putDue(engine, 'before');
  expect((await claimSome(engine)).ids).toEqual(['before']);
  // Wait until the replica has it all: what it lacks is lost by design of Redis.
  const raw = new Redis(master.url, { db: 2 });
  await putDue(engine, 'kept');
  expect(await raw.wait(1, 5_000)).toBe(1);
  raw.disconnect();
  master.signal('SIGKILL');
  await expect
    .poll(
      () =>
        putNew(engine).then(
          () => 'stored',
          (error: unknown) => (error as { code: string }).code,
        ),
      { timeout: 20_000, interval: 100 },
    )
    .toBe('stored');
  const found: string[] = [];
  await expect
    .poll(
      async () => {
        found.push(...(await claimSome(engine).catch(() => ({ ids: [] }))).ids);
        return found;
      },
      { timeout: 10_000 },
    )
    .toContain('kept');
  const heir = new Redis(replica.url, { db: 2 });
  expect(await heir.info('replication')).toContain('role:master');
  expect(await heir.keys(`{${engine.namespace}:*`)).not.toEqual([]);
  heir.disconnect();
}, 60_000);

it('no Sentinel at all is a Redis that is away, and closing takes no time', async () => {
  const engine = makeEngine(`redis+sentinel://127.0.0.1:${await freePort()}/main`);
  await expect(putNew(engine)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const began = performance.now();
  await engine.close();
  expect(performance.now() - began).toBeLessThan(1_000);
});
