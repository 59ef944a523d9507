import { DelayQueueError } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { judge } from '../../packages/redis/src/server-check.js';
import { freePort, startRedis, type RedisServer } from '../support/redis-server.js';
import { claimSome, message, putNew, REGION } from './messages.js';
import { makeEngine, openEngine } from './open-engines.js';

let server: RedisServer | undefined;

const start = async (...args: string[]): Promise<RedisServer> => (server = await startRedis(args));

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const failure = (call: Promise<unknown>): Promise<DelayQueueError> =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => {
      if (error instanceof DelayQueueError) return error;
      throw error;
    },
  );

describe('a server', () => {
  const fine = {
    version: '7.0.15',
    evictionPolicy: 'noeviction',
    appendOnly: true,
    loading: false,
    denied: [],
  };

  it('that is set up well has nothing to be told', () => {
    expect(judge(fine)).toEqual([]);
    expect(judge({ ...fine, version: '6.2.0' })).toEqual([]);
    expect(judge({ ...fine, version: '10.0.1' })).toEqual([]);
    expect(judge({ ...fine, appendOnly: false, snapshots: '3600 1' })).toEqual([]);
  });

  it.each([['6.0.20'], ['5.9.9'], ['2.8.0']])('of version %s is too old', (version) => {
    expect(() => judge({ ...fine, version })).toThrow(expect.objectContaining({ code: 'UNSAFE_REDIS' }));
  });

  it('that deletes, forgets or keeps its secrets is told so', () => {
    expect(judge({ ...fine, evictionPolicy: 'allkeys-lru' })).toEqual([
      expect.stringContaining('noeviction'),
    ]);
    expect(judge({ ...fine, appendOnly: false, snapshots: '' })).toEqual([
      expect.stringContaining('appendonly'),
    ]);
    expect(judge({ loading: false, denied: ['INFO', 'CONFIG GET'] })).toEqual([
      expect.stringContaining('INFO and CONFIG GET'),
    ]);
  });
});

describe('booting', () => {
  it('warns of a wrong eviction policy, and refuses it under strict', async () => {
    const { url } = await start('--maxmemory-policy', 'volatile-lru', '--appendonly', 'yes');
    expect((await openEngine(url)).log).toEqual([expect.stringMatching(/^warn: .*volatile-lru/)]);
    const error = await failure(openEngine(url, { strict: true }));
    expect(error).toMatchObject({
      code: 'UNSAFE_REDIS',
      message: expect.stringContaining('volatile-lru') as string,
    });
  });

  it('says nothing where all is well, and is done once however often it is asked for', async () => {
    const { url } = await start('--appendonly', 'yes');
    const engine = await openEngine(url, { strict: true });
    await Promise.all([engine.open(), engine.open()]);
    expect(engine.log).toEqual([]);
  });

  it.each([
    ['a wrong password', ':wrong@', 'password'],
    ['no password', '', 'password'],
    ['an unknown user', 'nobody:sesame@', 'password'],
  ])('fails at once with %s, and does not show it', async (_name, login, said) => {
    const { port } = await start('--requirepass', 'sesame');
    const began = performance.now();
    const engine = makeEngine(`redis://${login}127.0.0.1:${port}`);
    const error = await failure(engine.open());
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toContain(said);
    expect(`${error.stack} ${String(error.cause)}`).not.toMatch(/sesame|wrong@|nobody/);
    expect(await failure(engine.open())).toBe(error);
  });

  it('fails for a database that is not there, instead of using another', async () => {
    const { port } = await start();
    const error = await failure(openEngine(`redis://127.0.0.1:${port}/99`));
    expect(error).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('database') as string,
    });
  });

  it('waits for a Redis that comes within 5 s', async () => {
    const first = await start();
    first.signal('SIGKILL');
    const engine = makeEngine(first.url);
    const opening = engine.open();
    await first.restart();
    await opening;
    await putNew(engine);
    expect(engine.log.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('goes on without Redis after 5 s and one error in the log, and finds it later', async () => {
    const first = await start();
    first.signal('SIGKILL');
    const engine = makeEngine(first.url);
    const strict = failure(openEngine(first.url, { strict: true }));
    const began = performance.now();
    await engine.open();
    expect(performance.now() - began).toBeGreaterThan(4_500);
    expect(performance.now() - began).toBeLessThan(9_000);
    expect((await strict).code).toBe('UNAVAILABLE');
    expect((await failure(putNew(engine))).code).toBe('UNAVAILABLE');
    expect(engine.log).toEqual([expect.stringMatching(/^error: .*ECONNREFUSED/)]);
    await first.restart();
    // The check that the boot could not make is made later.
    await expect.poll(() => engine.log.length, { timeout: 5_000 }).toBe(2);
    await putNew(engine);
    expect((await claimSome(engine)).ids).toHaveLength(1);
  }, 30_000);
});

it('booting does not wait longer for a server that takes connections and does not answer', async () => {
  const frozen = await start();
  frozen.signal('SIGSTOP');
  const engine = makeEngine(frozen.url);
  const began = performance.now();
  await engine.open();
  expect(performance.now() - began).toBeLessThan(7_500);
  expect(engine.log).toEqual([expect.stringMatching(/^error: /)]);
});

describe('closing', () => {
  it('takes no time when Redis never was there, opened or not', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const idle = makeEngine(url);
    const opening = makeEngine(url);
    const booting = opening.open();
    await failure(putNew(opening));
    const began = performance.now();
    await Promise.all([idle.close(), opening.close(), opening.close()]);
    await booting;
    expect(performance.now() - began).toBeLessThan(1_000);
    expect((await failure(putNew(idle))).code).toBe('CLOSED');
    expect((await failure(putNew(opening))).code).toBe('CLOSED');
    expect(opening.log).toEqual([]);
  });

  it('rejects what waits for a connection', async () => {
    const first = await start();
    first.signal('SIGSTOP');
    const engine = makeEngine(first.url);
    const waiting = failure(putNew(engine));
    await engine.close();
    expect((await waiting).code).toBe('CLOSED');
  });

  it('leaves no timer of a call that waited for the next try to connect', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const engine = makeEngine(`redis://127.0.0.1:${await freePort()}`);
    const before = timers();
    // A refused try to connect fails two calls, with its error and with its end; then nothing is tried for a while.
    for (let refusals = 0; refusals < 6; refusals++) await failure(putNew(engine));
    const waiting = failure(putNew(engine));
    await engine.close();
    expect((await waiting).code).toBe('CLOSED');
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it('leaves no connection on the server', async () => {
    const { url } = await start();
    const admin = new Redis(url);
    const connections = async (): Promise<number> =>
      String(await admin.client('LIST'))
        .trim()
        .split('\n').length;
    const engine = await openEngine(url);
    engine.watch(() => undefined);
    await putNew(engine);
    await claimSome(engine);
    expect(await connections()).toBe(4);
    await engine.close();
    await expect.poll(connections).toBe(1);
    await admin.quit();
  });
});

describe('a Redis user', () => {
  const withUser = async (...rules: string[]): Promise<string> => {
    const { port, url } = await start('--appendonly', 'yes');
    const admin = new Redis(url);
    await admin.call('ACL', 'SETUSER', 'queue', 'on', '>sesame', ...rules);
    await admin.quit();
    return `redis://queue:sesame@127.0.0.1:${port}`;
  };

  it('who may do nothing dangerous can run the queue, with a warning', async () => {
    const engine = await openEngine(await withUser('~*', '&*', '+@all', '-@dangerous'));
    await putNew(engine);
    expect((await claimSome(engine)).ids).toHaveLength(1);
    expect(engine.log).toEqual([expect.stringMatching(/^warn: .*INFO and CONFIG GET/)]);
  });

  it('with the rights to its own keys, channel and commands is enough', async () => {
    const url = await withUser(
      '~{shop:*',
      '~{shop}:*',
      '&{shop}:hints',
      '+@connection',
      '+info',
      '+config|get',
      '+evalsha',
      '+eval',
      '+time',
      '+publish',
      '+subscribe',
      '+@sortedset',
      '+@hash',
      '+@set',
      '+get',
      '+set',
      '+del',
      '+exists',
    );
    const engine = await openEngine(url, { namespace: 'shop' });
    const hints: number[] = [];
    engine.watch((_region, at) => hints.push(at));
    await putNew(engine);
    let index = 1;
    const putElsewhere = async (): Promise<number> => {
      await engine.put({ topic: REGION.topic, index: index++ }, [message('a')], { epoch: 1 });
      return hints.length;
    };
    await expect.poll(putElsewhere).toBeGreaterThan(0);
    expect((await claimSome(engine)).ids.length).toBeGreaterThan(0);
    await engine.inspector?.setPaused(REGION.topic, [0], true);
    expect(engine.log).toEqual([]);
  });

  it.each([
    ['who may not run scripts', ['~*', '&*', '+@all', '-evalsha', '-eval'], 'evalsha'],
    ['who may not touch our keys', ['~other:*', '&*', '+@all'], 'key'],
  ])('%s fails the boot, and the message says why', async (_name, rules, named) => {
    const error = await failure(openEngine(await withUser(...rules)));
    expect(error.code).toBe('UNAVAILABLE');
    expect(error.message).toContain(named);
  });

  it('who may not subscribe gets a warning and no hints', async () => {
    const engine = await openEngine(await withUser('~*', 'resetchannels', '+@all'));
    engine.watch(() => undefined);
    await expect.poll(() => engine.log.length).toBe(1);
    expect(engine.log[0]).toMatch(/^warn: cannot subscribe/);
    await putNew(engine);
  });
});
