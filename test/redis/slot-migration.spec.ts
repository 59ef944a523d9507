import type { Redis } from 'ioredis';
import type { Region } from '@delay-queue/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLAIM, message } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';
import { startCluster, type TestCluster } from './redis-cluster.js';

let cluster: TestCluster;
let engine: TestEngine;
let region: Region;
let tag: string;
let slot: number;
let source: Redis;
let target: Redis;
let targetPort: number;
let index = 0;

beforeAll(async () => {
  cluster = await startCluster(2);
}, 60_000);
afterAll(() => cluster.stop());

beforeEach(async () => {
  const [first, second] = cluster.clients;
  if (first === undefined || second === undefined) throw new Error('two nodes were started');
  engine = await openEngine({ nodes: cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })) });
  region = { topic: 'order:timeout', index: index++ };
  tag = `{${engine.namespace}:order:timeout:${region.index}}`;
  slot = Number(await first.call('CLUSTER', 'KEYSLOT', tag));
  [source, target] = slot < 8_192 ? [first, second] : [second, first];
  targetPort = cluster.servers[slot < 8_192 ? 1 : 0]?.port ?? 0;
});

const putDue = async (...ids: string[]): Promise<void> => {
  await engine.put(
    region,
    ids.map((id) => message(id)),
    { epoch: 1 },
  );
  await expect.poll(async () => (await engine.inspector?.counts(region))?.due).toBe(ids.length);
};

const beginMoving = async (): Promise<void> => {
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(await source.call('CLUSTER', 'MYID')));
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(await target.call('CLUSTER', 'MYID')));
};

const keysLeft = async (): Promise<string[]> =>
  (await source.keys(`${tag}*`)).map((key) => key.slice(tag.length + 1)).sort();

it('a region whose slot is being moved is away, and whole when it has moved', async () => {
  await putDue('a', 'b', 'c');
  await beginMoving();
  // Some of the keys exist and others do not: Redis answers TRYAGAIN until all have moved.
  await expect(engine.claim(region, CLAIM)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(engine.put(region, [message('d')], { epoch: 1 })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(await keysLeft()).toEqual(['due', 'epoch', 'message']);
  for (const key of await keysLeft()) {
    await source.call('MIGRATE', '127.0.0.1', targetPort, `${tag}:${key}`, 0, 5_000);
  }
  const targetId = String(await target.call('CLUSTER', 'MYID'));
  for (const client of [target, source]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  const put = (): Promise<string> =>
    engine.put(region, [message('e')], { epoch: 1 }).then(
      () => 'stored',
      () => 'away',
    );
  await expect.poll(put, { timeout: 5_000 }).toBe('stored');
  await expect.poll(async () => (await engine.inspector?.counts(region))?.due).toBe(4);
  const { messages } = await engine.claim(region, CLAIM);
  expect(messages.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'e']);
  // Back, for the tests that follow.
  for (const key of (await target.keys(`${tag}*`)).sort()) await target.del(key);
  const sourceId = String(await source.call('CLUSTER', 'MYID'));
  for (const client of [source, target]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', sourceId);
});

/*
 * While a slot is being moved, a script that runs at all (all of its keys exist) fails midway as soon as it
 * touches a key that is gone, its own doing included. So no script touches a key again once it emptied it.
 */
describe('a script that empties keys while the slot is being moved', () => {
  /** Fills the keys that a script declares and the case does not. */
  const fill = async (...names: string[]): Promise<void> => {
    for (const name of names) {
      const key = `${tag}:${name}`;
      if (['due', 'dead', 'seen', 'leases'].includes(name)) await source.zadd(key, 1e15, 'filler');
      else await source.hset(key, 'filler', '0 0 0');
    }
  };

  it('passes as a cancel', async () => {
    await putDue('a');
    await source.hset(`${tag}:retries`, 'a', '1 1 0');
    await fill('next', 'dead', 'seen');
    await beginMoving();
    expect(await engine.cancel(region, ['a', 'b'], { epoch: 2 })).toEqual(['cancelled', 'unknown']);
    expect(await keysLeft()).toEqual(['dead', 'epoch', 'next', 'seen']);
  });

  it('passes as a settle of what is done', async () => {
    await putDue('a', 'b');
    const { lease = '' } = await engine.claim(region, CLAIM);
    await source.hset(`${tag}:retries`, 'a', '1 1 0');
    await fill('due', 'next');
    await source.zadd(`${tag}:seen`, 1, 'old');
    await beginMoving();
    const verdicts = ['a', 'b'].map((id) => ({ id, verdict: 'done' as const }));
    expect(await engine.settle(region, lease, verdicts, { dedupeMs: 0 })).toEqual({
      stale: [],
      superseded: [],
    });
    expect(await keysLeft()).toEqual(['due', 'epoch', 'next']);
  });

  it('passes as a settle that promotes the last follower', async () => {
    await putDue('a');
    const { lease = '' } = await engine.claim(region, CLAIM);
    await engine.put(region, [message('a', 0, { onDuplicate: 'replace' })], { epoch: 1 });
    await source.hset(`${tag}:retries`, 'a', '1 1 0');
    await fill('due', 'dead', 'dead-message');
    await beginMoving();
    const retry = { id: 'a', verdict: 'retry' as const, delayMs: 0, failed: true };
    expect(await engine.settle(region, lease, [retry], { dedupeMs: 0 })).toMatchObject({ superseded: ['a'] });
    expect(await keysLeft()).toEqual(['dead', 'dead-message', 'due', 'epoch', 'message']);
  });

  it('passes as a settle of what is dead, and as a redrive', async () => {
    await putDue('a');
    const { lease = '' } = await engine.claim(region, CLAIM);
    await source.hset(`${tag}:retries`, 'a', '1 1 0');
    await fill('due', 'next', 'dead', 'dead-message');
    await beginMoving();
    const dead = { id: 'a', verdict: 'dead' as const, reason: 'x', failed: true };
    expect(await engine.settle(region, lease, [dead], { dedupeMs: 0 })).toMatchObject({ stale: [] });
    expect(await keysLeft()).toEqual(['dead', 'dead-message', 'due', 'epoch', 'next']);
  });

  it('passes as a discard of the last dead letter', async () => {
    await putDue('a');
    const { lease = '' } = await engine.claim(region, CLAIM);
    const dead = { id: 'a', verdict: 'dead' as const, reason: 'x', failed: true };
    await engine.settle(region, lease, [dead], { dedupeMs: 0 });
    await fill('due', 'message', 'retries');
    await beginMoving();
    expect(await engine.inspector?.discard(region, ['a'])).toEqual([true]);
    expect(await keysLeft()).toEqual(['due', 'epoch', 'message', 'retries']);
  });
});
