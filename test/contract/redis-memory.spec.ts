import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { makeRedisStore } from './redis-store.js';
import { inspectorOf } from './support/inspector.js';
import { deliveredAgain } from './support/recover.js';
import { message } from './support/region-driver.js';
import { REGION, useStore } from './support/use-store.js';

/** A Redis that has reached maxmemory: it refuses what is new and lets everything go on that makes room. */
describe('Redis engine without memory', () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.url);
  });

  afterEach(() => setFull(false));

  afterAll(async () => {
    await admin.quit();
    await server.stop();
  });

  const setFull = (full: boolean) => admin.config('SET', 'maxmemory', full ? '1' : '0');
  const use = useStore(() => makeRedisStore({ url: server.url }));
  const refused = { code: 'OUT_OF_MEMORY', mayBeStored: false };

  it('refuses a put whole, and leaves everything as it was', async () => {
    const worker = await use.driver();
    await worker.putAll([message('runs'), message('waits', 1_000), message('dead', 1)]);
    await worker.takeOne();
    use.clock.advance(1);
    const { lease } = await worker.takeOne();
    await worker.settle(lease, [{ id: 'dead', verdict: 'dead', reason: 'r', failed: true }]);
    const before = await use.region();
    await setFull(true);
    const replace = { onDuplicate: 'replace', content: '"new"' } as const;
    for (const list of [
      [message('new'), message('newer', 5)],
      [message('waits', 5, replace)],
      [message('runs', 5, replace)],
      [message('dead', 5, replace)],
      [message('runs', 5, replace), message('waits', 5, replace), message('new')],
    ]) {
      await expect(worker.putAll(list)).rejects.toMatchObject(refused);
      expect(await use.region()).toEqual(before);
    }
    await setFull(false);
    expect(await worker.put('new')).toEqual({ outcome: 'stored' });
  });

  it('claims, renews, settles, cancels, moves and recovers as ever', async () => {
    const [one, two] = await use.pair();
    const ids = ['done', 'retry', 'dead', 'release', 'lost'];
    await one.putAll([...ids.map((id) => message(id)), message('moved', 1_000), message('cancelled', 1_000)]);
    await setFull(true);
    const { lease, messages } = await one.take();
    expect(messages).toHaveLength(5);
    expect(await one.renew([lease])).toEqual([]);
    const settled = await one.settle(
      lease,
      [
        { id: 'done', verdict: 'done' },
        { id: 'retry', verdict: 'retry', delayMs: 100_000, failed: true },
        { id: 'dead', verdict: 'dead', reason: 'r', failed: true },
        { id: 'release', verdict: 'release', started: true, delayMs: 100_000 },
      ],
      60_000,
    );
    expect(settled.stale).toEqual([]);
    expect(await one.cancel('cancelled')).toBe('cancelled');
    expect(await one.reschedule('moved', 100_000)).toBe('rescheduled');
    expect(await inspectorOf(one.engine).redrive(REGION, ['dead'])).toEqual([true]);
    expect((await one.takeOne()).message.id).toBe('dead');
    expect((await deliveredAgain(use.clock, two, 'lost')).message.crashes).toBe(1);
    expect([...(await use.region()).ids].map(([id, { state }]) => [id, state]).sort()).toEqual([
      ['dead', expect.any(String)],
      ['done', 'handled'],
      ['lost', 'running'],
      ['moved', 'waiting'],
      ['release', 'waiting'],
      ['retry', 'waiting'],
    ]);
  });

  it('shows newer epochs to a region as ever', async () => {
    const worker = await use.driver();
    await worker.put('a', 1_000);
    await setFull(true);
    const { engine } = worker;
    expect(await engine.cancel(REGION, ['b'], { epoch: 2 })).toEqual(['unknown']);
    expect(await engine.reschedule(REGION, 'b', { delayMs: 1 }, { epoch: 3 })).toBe('unknown');
    expect(await inspectorOf(engine).find(REGION, 'b', { epoch: 4 })).toBeUndefined();
    expect((await use.region()).epoch).toBe(4);
  });

  it('can be paused and resumed', async () => {
    const worker = await use.driver();
    await worker.put('a');
    await setFull(true);
    const inspector = inspectorOf(worker.engine);
    await inspector.setPaused(REGION.topic, [0], true);
    expect((await worker.claim()).paused).toBe(true);
    await inspector.setPaused(REGION.topic, [0], false);
    expect((await worker.takeOne()).message.id).toBe('a');
  });
});
