import { DelayQueueError } from '@delay-queue/core';
import { redisEngine, type RedisEngineOptions } from '@delay-queue/redis';
import { Cluster, Redis } from 'ioredis';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from '../../packages/redis/src/connections/redis-url.js';

const SECRET = 'sesame';

const refusal = (options: unknown): DelayQueueError => {
  try {
    redisEngine(options as RedisEngineOptions);
  } catch (error) {
    if (error instanceof DelayQueueError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('a connection URL', () => {
  it.each([
    ['redis://localhost', { host: 'localhost', port: 6379, db: 0 }],
    ['redis://h:1/3', { host: 'h', port: 1, db: 3 }],
    ['rediss://u:p%40%3A%2F@h/0', { host: 'h', port: 6379, db: 0, username: 'u', password: 'p@:/', tls: {} }],
    ['redis://:p@[::1]:7000', { host: '::1', port: 7000, db: 0, password: 'p' }],
    [
      'redis+sentinel://u:p@a,b:2/main/4',
      {
        sentinels: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 2 },
        ],
        name: 'main',
        db: 4,
        username: 'u',
        password: 'p',
      },
    ],
    [
      'rediss+sentinel://a/main?sentinelPassword=q',
      {
        sentinels: [{ host: 'a', port: 26379 }],
        name: 'main',
        db: 0,
        tls: {},
        sentinelTLS: {},
        enableTLSForSentinelMode: true,
        sentinelPassword: 'q',
      },
    ],
    [
      'redis+cluster://:p@a:1,b:2',
      {
        nodes: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        options: { redisOptions: { password: 'p' } },
      },
    ],
  ])('%s is read', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual(expected);
  });

  it.each([
    ['http://:sesame@h'],
    ['h:6379'],
    ['redis://:sesame@h:99999'],
    ['redis://:sesame@h/abc'],
    ['redis://:sesame@h/1/2'],
    ['redis://:sesame@a,b'],
    ['redis://:sesame%@h'],
    ['redis://:sesame@'],
    ['redis+cluster://:sesame@a/1'],
    ['redis+sentinel://:sesame@a'],
    ['redis://:sesame@h?keyPrefix=x'],
    ['redis://:sesame@h?password=sesame'],
    [''],
  ])('%s is refused without showing a password', (url) => {
    const error = refusal({ connection: url });
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toContain('connection');
    expect(inspect(error, { depth: 10 })).not.toContain(SECRET);
  });
});

describe('the engine options', () => {
  it.each([
    ['nothing', undefined, 'connection'],
    ['no connection', {}, 'connection'],
    ['an undefined connection', { connection: undefined }, 'environment variable'],
    ['a number', { connection: 6379 }, 'number'],
    ['an unknown option', { connection: 'redis://h', conection: 1 }, "'conection'"],
    ['a strict that is no boolean', { connection: 'redis://h', strict: 'yes' }, 'strict'],
    ['a keyPrefix', { connection: { host: 'h', keyPrefix: 'app:' } }, 'keyPrefix'],
    [
      "a keyPrefix of a Cluster's nodes",
      { connection: { nodes: [{ host: 'h' }], options: { redisOptions: { keyPrefix: 'a' } } } },
      'keyPrefix',
    ],
    ['no nodes', { connection: { nodes: [] } }, 'nodes'],
    ['options of another library', { connection: { url: 'redis://h' } }, 'connection.url'],
    [
      'a client of another library',
      { connection: { duplicate: () => 1, connect: () => 1, sendCommand: () => 1 } },
      'ioredis',
    ],
  ])('%s is refused by name', (_name, options, named) => {
    const error = refusal(options);
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toContain(named);
  });

  it('a client with a keyPrefix is refused, and left alone', () => {
    const client = new Redis({ lazyConnect: true, keyPrefix: 'app:' });
    const cluster = new Cluster([{ host: 'h' }], { lazyConnect: true, redisOptions: { keyPrefix: 'app:' } });
    expect(refusal({ connection: client }).message).toContain('keyPrefix');
    expect(refusal({ connection: cluster }).message).toContain('keyPrefix');
    expect([client.status, cluster.status]).toEqual(['wait', 'wait']);
  });
});
