import type { DelayInput } from '@delay-queue/core';
import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions } from 'ioredis';

/** How `redisEngine` finds and uses Redis. */
export interface RedisEngineOptions {
  /**
   * Where Redis is. Required; an explicit `undefined` (an environment variable that is not set) is refused.
   * - a URL, see `parseRedisUrl`: `redis://user:password@host:6379/0`, `rediss://` for TLS,
   *   `redis+sentinel://host:26379,host:26379/name/0`, `redis+cluster://host:6379,host:6379`;
   * - ioredis options, Sentinel's included;
   * - the nodes of a Cluster, with ioredis's Cluster options;
   * - an ioredis client or Cluster, as a template: it is duplicated, never used or closed.
   *
   * `keyPrefix` is refused (use the queue's `namespace`). Options that decide about retries, time limits and
   * offline queues are replaced by ours, because the queue itself retries and settles every call in time.
   */
  connection: RedisConnection;
  /**
   * Refuse to boot where the default is to warn: Redis away, wrong `maxmemory-policy`, no persistence, or no
   * right to ask.
   * @default false
   */
  strict?: boolean;
  /**
   * When a send, a cancel or a reschedule counts as done. Without it: when the master has it in memory, which is
   * as safe as that server's persistence; a failover to a replica that lags loses it.
   */
  durability?: RedisDurability;
}

/**
 * What must be confirmed (by `WAIT` or `WAITAOF`) before a call resolves. What is not confirmed in time rejects with
 * `NOT_DURABLE`: it was carried out and will most likely last, but it is not yet safe.
 */
export interface RedisDurability {
  /**
   * So many replicas of the region's master have it in memory, or on disk where `fsync` is set.
   * @default 0
   */
  replicas?: number;
  /**
   * The master's append-only file is on disk up to it. Needs Redis 7.2 and `appendonly yes`; boot fails without.
   * @default false
   */
  fsync?: boolean;
  /**
   * How long is waited for that, at most 3 s: meanwhile other sends wait behind it.
   * @default '1s'
   */
  timeout?: DelayInput;
}

/** The accepted forms of `connection`. */
export type RedisConnection = string | RedisOptions | RedisClusterConnection | Redis | Cluster;

/** A Redis Cluster by its nodes. */
export interface RedisClusterConnection {
  /** Nodes to ask first; the others are found through them. */
  nodes: ClusterNode[];
  /** ioredis's Cluster options; credentials and TLS go into `redisOptions`. */
  options?: ClusterOptions;
}
