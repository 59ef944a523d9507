import { DelayQueueError } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { lossyProxy, type LossyProxy } from './lossy-proxy.js';
import { claimIds, claimSome, message, putDue, REGION } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';

let proxy: LossyProxy;
let engine: TestEngine;
let direct: TestEngine;
let admin: Redis;

beforeEach(async () => {
  proxy = await lossyProxy(inject('redisUrl'));
  engine = await openEngine({ host: '127.0.0.1', port: proxy.port, db: 1 });
  direct = await openEngine(`${inject('redisUrl')}/1`, { namespace: engine.namespace });
  admin = new Redis(`${inject('redisUrl')}/1`);
});

afterEach(async () => {
  await proxy.close();
  admin.disconnect();
});

/** Runs a call whose answer gets lost because the connection breaks once the server has done it. */
async function losing(call: () => Promise<unknown>, done: () => Promise<boolean>): Promise<unknown> {
  proxy.swallow = true;
  const outcome = call().then(
    () => 'answered',
    (error: unknown) => error,
  );
  await expect.poll(done).toBe(true);
  proxy.cut();
  proxy.swallow = false;
  return outcome;
}

const keysOf = (what: string): string => `{${engine.namespace}:${REGION.topic}:0}:${what}`;

describe('an answer that gets lost', () => {
  it('to a put says that it may have been stored, and putting again finds it, once', async () => {
    await putDue(engine, 'first');
    const error = await losing(
      () => putDue(engine, 'a'),
      async () => (await admin.zcard(keysOf('due'))) === 2,
    );
    expect(error).toBeInstanceOf(DelayQueueError);
    expect(error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    expect(await putDue(engine, 'a')).toEqual([{ outcome: 'duplicate', state: 'waiting' }]);
    expect((await claimSome(direct)).ids).toEqual(['first', 'a']);
    const other = new Redis(inject('redisUrl'));
    expect(await other.exists(keysOf('message'))).toBe(0);
    await other.quit();
  });

  it('to a claim is made good: its messages are given back uncounted, at the next contact', async () => {
    await claimIds(engine);
    await putDue(direct, 'a', 'b');
    await expect.poll(() => direct.inspector?.counts(REGION)).toMatchObject({ due: 2 });
    const error = await losing(
      () => claimIds(engine),
      async () => (await admin.zcard(keysOf('leases'))) === 1,
    );
    expect(error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    expect((await claimIds(direct)).ids).toEqual([]);
    const again = await claimSome(engine);
    expect(again.messages.map(({ id, deliveries, crashes }) => ({ id, deliveries, crashes }))).toEqual([
      { id: 'a', deliveries: 0, crashes: 0 },
      { id: 'b', deliveries: 0, crashes: 0 },
    ]);
    expect(await admin.zcard(keysOf('leases'))).toBe(1);
  });

  it('to a claim is made good also while closing', async () => {
    await claimIds(engine);
    await putDue(direct, 'a');
    await expect.poll(() => direct.inspector?.counts(REGION)).toMatchObject({ due: 1 });
    await losing(
      () => claimIds(engine),
      async () => (await admin.zcard(keysOf('leases'))) === 1,
    );
    await engine.close();
    expect((await claimSome(direct)).messages).toMatchObject([{ id: 'a', deliveries: 0 }]);
  });

  it('to a claim gives way to the follower that was put meanwhile', async () => {
    await claimIds(engine);
    await putDue(direct, 'a');
    await expect.poll(() => direct.inspector?.counts(REGION)).toMatchObject({ due: 1 });
    await losing(
      () => claimIds(engine),
      async () => (await admin.zcard(keysOf('leases'))) === 1,
    );
    const follower = message('a', 0, { onDuplicate: 'replace', content: '"follower"' });
    expect(await direct.put(REGION, [follower], { epoch: 1 })).toEqual([{ outcome: 'queued' }]);
    const { messages } = await claimSome(engine);
    expect(messages).toMatchObject([{ id: 'a', content: '"follower"' }]);
    expect(await admin.exists(keysOf('next'))).toBe(0);
  });

  it('without the connection breaking is given up after 4 s', async () => {
    await putDue(engine, 'first');
    proxy.swallow = true;
    const began = performance.now();
    const error = await putDue(engine, 'a').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    expect(performance.now() - began).toBeGreaterThan(3_500);
    expect(performance.now() - began).toBeLessThan(7_000);
  });
});
