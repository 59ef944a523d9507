import {
  DelayQueueRuntime,
  resolveProperties,
  type DelayQueueError,
  type DelayQueueOptions,
} from '@delay-queue/core';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { uniqueNamespace } from '../support/unique.js';
import { RecordedLog } from './support/recorded-log.js';

const TOPIC = 'order:timeout';
let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis(['--appendonly', 'yes']);
  admin = new Redis(server.url, { retryStrategy: () => 50 });
  admin.on('error', () => undefined);
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

async function sender(options: Partial<DelayQueueOptions> = {}) {
  const log = new RecordedLog();
  const runtime = new DelayQueueRuntime(
    resolveProperties({
      engine: redisEngine({ connection: server.url }),
      namespace: uniqueNamespace(),
      logger: log,
      ...options,
    }),
  );
  onTestFinished(() => runtime.close());
  await runtime.open();
  return { queue: runtime.context, log };
}

const lines = (log: RecordedLog): string[] =>
  log.lines
    .map(({ text }) => /store (fails|works again)/.exec(text)?.[1] ?? '')
    .filter((state) => state !== '');

describe('sending to Redis', () => {
  it('loses nothing while connections are killed and scripts flushed, and stores each once', async () => {
    const { queue } = await sender();
    const stored = new Set<string>();
    const stop = new AbortController();
    const send = async (): Promise<void> => {
      while (!stop.signal.aborted) stored.add((await queue.send(TOPIC, 'x'.repeat(100), '1h')).id);
    };
    const senders = Array.from({ length: 50 }, send);
    for (let i = 0; i < 10; i++) {
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await admin.script('FLUSH');
      const before = stored.size;
      await expect.poll(() => stored.size, { timeout: 10_000 }).toBeGreaterThan(before + 50);
    }
    stop.abort();
    await Promise.all(senders);
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(stored.size);
  });

  it('settles in time while Redis is stopped, and works again afterwards', async () => {
    const { queue, log } = await sender({ producer: { timeout: '1s' } });
    await queue.send(TOPIC, 1, '1h', { id: 'before' });
    server.signal('SIGSTOP');
    const begun = performance.now();
    const error = await queue
      .send(TOPIC, 1, '1h', { id: 'during' })
      .catch((thrown: DelayQueueError) => thrown);
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect(error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    server.signal('SIGCONT');
    await expect
      .poll(() => queue.send(TOPIC, 2, '1h', { id: 'during' }).catch(() => 0), { timeout: 10_000 })
      .toMatchObject({ id: 'during' });
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(2);
    expect(lines(log).length).toBeLessThanOrEqual(2);
  });

  it('tells that nothing was stored while Redis is gone, once in the log, and goes on when it is back', async () => {
    const { queue, log } = await sender({ regions: 1, producer: { timeout: '500ms' } });
    await queue.send(TOPIC, 1, '1h', { timeout: '20s' });
    server.signal('SIGKILL');
    // the first one may have been on its way when the server died
    const failure = () => queue.send(TOPIC, 1, '1h').catch((error: DelayQueueError) => error);
    await expect
      .poll(failure, { timeout: 10_000 })
      .toMatchObject({ code: 'UNAVAILABLE', mayBeStored: false });
    const patient = queue.send(TOPIC, 'patient', '1h', { timeout: '20s', id: 'patient' });
    await server.restart();
    expect(await patient).toEqual({ id: 'patient', outcome: 'stored' });
    expect(lines(log)).toEqual(['fails', 'works again']);
  });

  it('names out of memory and read-only, and still cancels when memory is full', async () => {
    const { queue } = await sender({ producer: { timeout: '2s' } });
    onTestFinished(async () => {
      await admin.config('SET', 'maxmemory', '0');
      await admin.replicaof('NO', 'ONE');
    });
    await queue.send(TOPIC, 1, '1h', { id: 'x' });
    // a try that is under way at the deadline leaves a doubt, so a slow machine may need a second send
    const code = () => queue.send(TOPIC, 1, '1h').catch((error: DelayQueueError) => error.code);
    await admin.config('SET', 'maxmemory', '1mb');
    await expect.poll(code, { timeout: 15_000 }).toBe('OUT_OF_MEMORY');
    expect(await queue.cancel(TOPIC, 'x')).toBe('cancelled');
    await admin.config('SET', 'maxmemory', '0');
    await admin.replicaof('127.0.0.1', '1');
    await expect.poll(code, { timeout: 15_000 }).toBe('READ_ONLY');
    await admin.replicaof('NO', 'ONE');
    await expect.poll(code, { timeout: 10_000 }).toMatchObject({ outcome: 'stored' });
  });

  it('finds, moves and cancels across region counts', async () => {
    const namespace = uniqueNamespace();
    const five = await sender({ namespace, regions: 5 });
    const ids = Array.from({ length: 300 }, (_, i) => `m${i}`);
    await five.queue.sendMany(
      TOPIC,
      ids.map((id) => ({ id, content: id, delay: '1h' })),
    );
    const eight = await sender({ namespace, regions: 8 });
    const again = await eight.queue.sendMany(
      TOPIC,
      ids.map((id) => ({ id, content: id, delay: '1h' })),
    );
    expect(again.every(({ outcome }) => outcome === 'duplicate')).toBe(true);
    const three = await sender({ namespace, regions: 3 });
    expect((await three.queue.inspect(TOPIC).counts()).waiting).toBe(300);
    expect(await five.queue.reschedule(TOPIC, 'm7', '2h')).toBe('rescheduled');
    const cancelled = await five.queue.cancelMany(TOPIC, ids);
    expect(cancelled.every(({ outcome }) => outcome === 'cancelled')).toBe(true);
    expect((await eight.queue.inspect(TOPIC).counts()).waiting).toBe(0);
  });
});
