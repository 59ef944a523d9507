import type { DelayEngine, Region } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { lossyProxy, type LossyProxy } from '../model/lossy-proxy.js';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { allScripts } from './all-scripts.js';
import { CLAIM, message } from './messages.js';
import { slotFaults, watchCalls } from './monitored.js';
import { openEngine } from './open-engines.js';
import { keyPositions, type KeyPositions } from './script-keys.js';

const EPOCH = { epoch: 1 };
const TOPICS = ['order:timeout', 'a', ':', 'a:0:due'];
const REGIONS: readonly Region[] = TOPICS.flatMap((topic) => [0, 1].map((index) => ({ topic, index })));

let server: RedisServer;
let proxy: LossyProxy;
let admin: Redis;
let positions: ReadonlyMap<string, KeyPositions>;

beforeAll(async () => {
  server = await startRedis();
  proxy = await lossyProxy(server.port);
  admin = new Redis(server.url);
  positions = await keyPositions(admin);
});
afterAll(async () => {
  admin.disconnect();
  await proxy.close();
  await server.stop();
});

/** Whatever an engine can do with a region, every verdict, lost answers and crashes among it. */
async function doEverything(engine: DelayEngine, clock: TestClock, region: Region): Promise<void> {
  const { inspector } = engine;
  const take = async () => (await engine.claim(region, CLAIM)).lease ?? '';
  const put = (...ids: string[]) =>
    engine.put(
      region,
      ids.map((id) => message(id)),
      EPOCH,
    );
  await put('done', 'follower', 'retry', 'dead', 'release', 'crash');
  await put('done');
  await engine.put(region, [message('later', 60_000), message('never', 60_000)], EPOCH);
  await engine.reschedule(region, 'later', { delayMs: 50_000 }, EPOCH);
  await engine.cancel(region, ['never'], EPOCH);
  const lease = await take();
  await engine.put(region, [message('follower', 0, { onDuplicate: 'replace' })], EPOCH);
  await engine.renew(region, [lease], CLAIM.leaseMs);
  for (const state of ['waiting', 'running'] as const) await inspector?.page(region, state, 0, 5);
  await engine.settle(
    region,
    lease,
    [
      { id: 'done', verdict: 'done' },
      { id: 'follower', verdict: 'done' },
      { id: 'retry', verdict: 'retry', delayMs: 0, failed: true },
      { id: 'dead', verdict: 'dead', reason: 'x', failed: true },
      { id: 'release', verdict: 'release', started: true },
    ],
    { dedupeMs: 1000 },
  );
  await put('done', 'dead');
  clock.advance(2 * CLAIM.leaseMs);
  await take();
  for (const what of ['waiting', 'dead'] as const) await inspector?.page(region, what, 0, 5);
  for (const id of ['done', 'dead', 'retry']) await inspector?.find(region, id, EPOCH);
  await inspector?.redrive(region, ['dead']);
  await inspector?.discard(region, ['dead']);
  await admin.hdel(`{shop:${region.topic}:${region.index}}:message`, 'later');
  clock.advance(60_000);
  await proxy.loseAnswerOf(() => expect(take()).rejects.toMatchObject({ code: 'TIMEOUT' }));
  await expect.poll(() => take().catch(() => 'away')).not.toBe('away');
  await inspector?.dueSoon(region, 1000);
}

describe('in a Cluster', () => {
  it('every call keeps to one slot, and every script to the keys it names', async () => {
    const clock = new TestClock();
    const seen = await watchCalls(server.url);
    const engine = await openEngine(`redis://127.0.0.1:${proxy.port}`, { namespace: 'shop', clock });
    for (const topic of TOPICS) {
      await engine.topology(topic, { regions: 2, selector: 's', expectedEpoch: 0 });
      await engine.inspector?.setPaused(topic, [0], true);
      await engine.topology(topic, { regions: 3, selector: 's', expectedEpoch: 1 });
      await engine.inspector?.setPaused(topic, [0, 1, 2], false);
    }
    for (const region of REGIONS) await doEverything(engine, clock, region);
    const calls = await seen.calls();
    seen.stop();

    expect(calls.flatMap((call) => slotFaults(call, positions))).toEqual([]);
    const scripts = await allScripts();
    const ran = (sha: string, lua: string) =>
      calls.some(({ words, inScript }) => (words[1] === sha || words[1] === lua) && inScript.length > 0);
    expect(scripts.filter(({ sha, lua }) => !ran(sha, lua)).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['two keys of two slots', ['del', '{a}:b', '{b}:b'], [], ['several slots: {a}:b {b}:b']],
    ['a script over two slots', ['evalsha', 's', '2', '{a}:b', '{b}:b'], [], ['several slots: {a}:b {b}:b']],
    ['a script without keys', ['eval', 's', '0'], [], ['a script without keys']],
    [
      'a script that makes up a key',
      ['evalsha', 's', '1', '{a}:b', '1'],
      [
        ['GET', '{a}:b'],
        ['HSET', '{a}:c', 'x', 'y'],
      ],
      ['not named: {a}:c'],
    ],
  ])('%s would be found', async (_what, words, inScript, faults) => {
    expect(slotFaults({ words, inScript }, positions)).toEqual(faults);
  });

  it('a call of a script is seen with the commands in it', async () => {
    const seen = await watchCalls(server.url);
    await admin.eval("return redis.call('GET', '{a}:c')", 1, '{a}:b');
    const calls = await seen.calls();
    seen.stop();
    expect(calls.flatMap((call) => slotFaults(call, positions))).toEqual(['not named: {a}:c']);
  });
});
