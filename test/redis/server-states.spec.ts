import { DelayQueueError } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { claimIds, claimSome, message, putDue, putNew, REGION } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';

let server: RedisServer;
let admin: Redis;
let engine: TestEngine;

const start = async (...args: string[]): Promise<void> => {
  server = await startRedis(args);
  admin = new Redis(server.url);
  admin.on('error', () => undefined);
  engine = await openEngine(server.url);
};

afterEach(async () => {
  await engine.close();
  admin.disconnect();
  await server.stop();
});

/** The code with which a call fails. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'no error',
    (error: unknown) => (error instanceof DelayQueueError ? error.code : String(error)),
  );

/** Waits until a call works again; every failure before must be a typed one. */
const works = (call: () => Promise<unknown>): Promise<void> =>
  expect.poll(() => codeOf(call()), { timeout: 10_000, interval: 20 }).toBe('no error');

describe('a Redis that is in order', () => {
  beforeEach(() => start());

  it('that became a read-only replica refuses with READ_ONLY, and the engine asks for another connection', async () => {
    await putDue(engine, 'a');
    const before = await claimSome(engine);
    await admin.replicaof('127.0.0.1', '1');
    for (const call of [
      () => putNew(engine),
      () => engine.cancel(REGION, ['a'], { epoch: 1 }),
      () => engine.reschedule(REGION, 'a', { delayMs: 0 }, { epoch: 1 }),
      () => engine.renew(REGION, [before.lease], 30_000),
    ]) {
      await expect.poll(() => codeOf(call()), { timeout: 5_000 }).toMatch(/READ_ONLY|no error/);
    }
    await expect.poll(() => codeOf(putNew(engine)), { timeout: 5_000 }).toBe('READ_ONLY');
    await admin.replicaof('NO', 'ONE');
    await works(() => putDue(engine, 'd'));
    expect((await claimSome(engine)).ids).toContain('d');
  });

  it('that became a read-only replica is left once, however many calls it refuses', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', warned);
    try {
      await putNew(engine);
      await admin.replicaof('127.0.0.1', '1');
      const codes = await Promise.all(Array.from({ length: 40 }, () => codeOf(putNew(engine))));
      expect(codes).toContain('READ_ONLY');
      await admin.replicaof('NO', 'ONE');
      await works(() => putNew(engine));
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', warned);
    }
  });

  it('that forgot its scripts gets them again', async () => {
    await putDue(engine, 'a');
    await admin.script('FLUSH');
    await putDue(engine, 'b');
    await admin.script('FLUSH');
    await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: 2 });
    await admin.script('FLUSH');
    const { lease, ids } = await claimSome(engine);
    expect(ids).toEqual(['a', 'b']);
    await admin.script('FLUSH');
    expect(await engine.settle(REGION, lease, [{ id: 'a', verdict: 'done' }], { dedupeMs: 0 })).toEqual({
      stale: [],
      superseded: [],
    });
  });

  it('that drops connections is found again, and hints too', async () => {
    const hints: string[] = [];
    engine.watch((region) => hints.push(region.topic));
    await expect.poll(() => admin.pubsub('NUMSUB', `{${engine.namespace}}:hints`)).toContain(1);
    await putDue(engine, 'a');
    await expect.poll(() => hints.length).toBe(1);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await works(() => putDue(engine, 'b'));
    await works(() => claimIds(engine));
    await expect.poll(() => admin.pubsub('NUMSUB', `{${engine.namespace}}:hints`)).toContain(1);
    await engine.put({ topic: 'other', index: 2 }, [message('x')], { epoch: 1 });
    await expect.poll(() => hints).toContain('other');
    expect(engine.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('that stands still for a while loses answers, not messages, and close takes no longer than a second', async () => {
    await putDue(engine, 'a');
    server.signal('SIGSTOP');
    const first = codeOf(putDue(engine, 'b'));
    expect(await first).toBe('TIMEOUT');
    expect(await codeOf(putDue(engine, 'c'))).toBe('UNAVAILABLE');
    const other = await openEngine(server.url, { namespace: engine.namespace }).catch(() => undefined);
    const began = performance.now();
    await Promise.all([engine.close(), other?.close()]);
    expect(performance.now() - began).toBeLessThan(1_000);
    server.signal('SIGCONT');
    engine = await openEngine(server.url, { namespace: engine.namespace });
    // Whether b arrived nobody can say, and nothing else was promised.
    expect((await claimSome(engine)).ids).toContain('a');
  });

  it('that refuses to write because it cannot persist says READ_ONLY', async () => {
    await putDue(engine, 'a');
    await engine.close();
    admin.disconnect();
    await server.stop();
    await start('--enable-protected-configs', 'local', '--save', '3600 1');
    await putDue(engine, 'a');
    await admin.config('SET', 'dir', '/proc');
    await admin.call('BGSAVE');
    await expect.poll(() => codeOf(putNew(engine)), { timeout: 5_000 }).toBe('READ_ONLY');
    await admin.config('SET', 'dir', server.dir);
    await admin.call('BGSAVE');
    await works(() => putNew(engine));
  });

  it('that restarts is found again by calls that wait for it', async () => {
    await putDue(engine, 'a');
    server.signal('SIGKILL');
    await expect.poll(() => codeOf(putNew(engine)), { timeout: 5_000 }).toBe('UNAVAILABLE');
    await server.restart();
    await works(() => putDue(engine, 'c'));
    await works(() => claimIds(engine));
  });
});

it('a Redis that is still loading is UNAVAILABLE until it has loaded', async () => {
  await start('--save', '3600 1');
  await engine.put(
    REGION,
    Array.from({ length: 3_000 }, (_, i) => message(`m${i}`)),
    { epoch: 1 },
  );
  await admin.call('SAVE');
  // The delay while loading is per key.
  await admin.mset(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`filler${i}`, 'x'])));
  await admin.call('SAVE');
  server.signal('SIGKILL');
  const slow = [
    '--save',
    '3600 1',
    '--key-load-delay',
    '700',
    '--loading-process-events-interval-bytes',
    '1024',
  ];
  const { dir, port } = server;
  await expect.poll(() => codeOf(engine.topology('t'))).not.toBe('no error');
  const child = spawn('redis-server', ['--port', `${port}`, '--dir', dir, '--bind', '127.0.0.1', ...slow]);
  try {
    const codes = new Set<string>();
    await expect
      .poll(
        async () => {
          codes.add(await codeOf(claimIds(engine, { max: 1 })));
          return codes;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toContain('no error');
    expect([...codes].sort()).toEqual(['UNAVAILABLE', 'no error']);
  } finally {
    child.kill('SIGKILL');
  }
});

describe('a Redis out of memory', () => {
  beforeEach(() => start());

  const outOfMemory = (): Promise<unknown> => admin.config('SET', 'maxmemory', '1');
  const memoryAgain = (): Promise<unknown> => admin.config('SET', 'maxmemory', '0');

  it('refuses a put as a whole', async () => {
    await outOfMemory();
    const many = Array.from({ length: 3_000 }, (_, i) => message(`m${i}`));
    expect(await codeOf(engine.put(REGION, many, { epoch: 1 }))).toBe('OUT_OF_MEMORY');
    await memoryAgain();
    expect(await admin.keys('*')).toEqual([]);
  });

  it('refuses a follower of a running message, and changes nothing', async () => {
    await putDue(engine, 'a');
    const { lease } = await claimSome(engine);
    await outOfMemory();
    const follower = engine.put(REGION, [message('a', 0, { onDuplicate: 'replace' })], { epoch: 2 });
    expect(await codeOf(follower)).toBe('OUT_OF_MEMORY');
    await memoryAgain();
    expect(await admin.get(`{${engine.namespace}:order:timeout:0}:epoch`)).toBe('1');
    await engine.settle(REGION, lease, [{ id: 'a', verdict: 'done' }], { dedupeMs: 0 });
    expect(await admin.keys('*:next')).toEqual([]);
  });

  it('lets everything else pass: claim, settle, renew, recover, cancel, reschedule, pause, redrive', async () => {
    const ids = ['done', 'retry', 'dead', 'release', 'waits', 'goes'];
    await engine.put(
      REGION,
      [...ids.slice(0, 4).map((id) => message(id)), message('waits', 60_000), message('goes', 60_000)],
      { epoch: 1 },
    );
    await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: 4 });
    await outOfMemory();
    const { lease, ids: claimed } = await claimSome(engine);
    expect(claimed.sort()).toEqual(['dead', 'done', 'release', 'retry']);
    expect(await engine.renew(REGION, [lease], 30_000)).toEqual([]);
    expect(
      await engine.settle(
        REGION,
        lease,
        [
          { id: 'done', verdict: 'done' },
          { id: 'retry', verdict: 'retry', delayMs: 60_000, failed: true },
          { id: 'dead', verdict: 'dead', reason: 'why', failed: true },
          { id: 'release', verdict: 'release', started: false },
        ],
        { dedupeMs: 60_000 },
      ),
    ).toMatchObject({ stale: [], superseded: [] });
    expect(await engine.cancel(REGION, ['goes', 'done'], { epoch: 2 })).toEqual(['cancelled', 'handled']);
    expect(await engine.reschedule(REGION, 'waits', { delayMs: 0 }, { epoch: 3 })).toBe('rescheduled');
    expect(await engine.inspector?.redrive(REGION, ['dead'])).toEqual([true]);
    await engine.inspector?.setPaused(REGION.topic, [0], true);
    expect((await claimIds(engine)).paused).toBe(true);
    await engine.inspector?.setPaused(REGION.topic, [0], false);
    await expect.poll(async () => (await claimIds(engine)).ids.length).toBeGreaterThan(0);
    await memoryAgain();
    const held = await engine.inspector?.page(REGION, 'running', 0, 10);
    expect(held?.messages.map(({ id }) => id).sort()).toEqual(['dead', 'release', 'waits']);
  });

  it('lets an expired lease be recovered', async () => {
    await putDue(engine, 'a', 'b');
    await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: 2 });
    await claimSome(engine, { leaseMs: 1_000 });
    const other = await openEngine(server.url, { namespace: engine.namespace });
    await outOfMemory();
    const found: string[] = [];
    await expect
      .poll(
        async () => {
          found.push(...(await claimIds(other, { leaseMs: 1_000 })).ids);
          return found.sort();
        },
        { timeout: 5_000, interval: 50 },
      )
      .toEqual(['a', 'b']);
  });
});
