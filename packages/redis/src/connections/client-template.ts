import { DelayQueueError } from '@delay-queue/core';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisClusterConnection } from '../redis-engine-options.js';
import { clusterOptions, singleOptions, type ConnectionKind } from './client-options.js';
import { bearLaterErrors } from './later-errors.js';
import type { RedisClient } from './redis-client.js';
import { parseRedisUrl } from './redis-url.js';

/** Makes unconnected clients of one kind after another, all to the same Redis. */
export type ClientTemplate = (kind: ConnectionKind, name: string) => RedisClient;

/** An ioredis client of any version, by what it can do. */
interface Duplicable {
  readonly isCluster?: boolean;
  readonly options: RedisOptions & { redisOptions?: RedisOptions };
  duplicate(...args: unknown[]): RedisClient;
}

/**
 * Reads the user's `connection`.
 *
 * @throws DelayQueueError INVALID_OPTION for what is none, or carries a keyPrefix
 */
export function clientTemplate(connection: unknown): ClientTemplate {
  const make = readConnection(connection);
  return (kind, name) => bearLaterErrors(make(kind, name));
}

function readConnection(connection: unknown): ClientTemplate {
  if (typeof connection === 'string') return fromOptions(parseRedisUrl(connection));
  if (typeof connection !== 'object' || connection === null) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `connection must be a Redis URL, ioredis options, { nodes } of a Cluster or an ioredis client; got ${connection === undefined ? 'undefined (is the environment variable set?)' : typeof connection}`,
    );
  }
  if (isDuplicable(connection)) return fromClient(connection);
  return fromOptions(connection);
}

function fromOptions(connection: RedisOptions | RedisClusterConnection): ClientTemplate {
  if ('nodes' in connection) {
    const { nodes, options = {} } = connection;
    if (!Array.isArray(nodes) || nodes.length === 0) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        'connection.nodes must name at least one node of the Cluster',
      );
    }
    refusePrefix(options, options.redisOptions);
    return (kind, name) =>
      new Cluster(nodes, { ...options, ...clusterOptions(kind, name, options.redisOptions) });
  }
  if ('url' in connection) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      "connection.url is not an ioredis option; pass the URL itself as 'connection'",
    );
  }
  refusePrefix(connection);
  const sentinel = connection.sentinels !== undefined;
  return (kind, name) =>
    new Redis({ connectTimeout: 4_000, ...connection, ...singleOptions(kind, name, sentinel) });
}

function fromClient(client: Duplicable): ClientTemplate {
  const { options } = client;
  refusePrefix(options, options.redisOptions);
  if (client.isCluster === true) {
    return (kind, name) => client.duplicate([], clusterOptions(kind, name, options.redisOptions));
  }
  const sentinel = Array.isArray(options.sentinels);
  return (kind, name) => client.duplicate(singleOptions(kind, name, sentinel));
}

function isDuplicable(connection: object): connection is Duplicable {
  const client = connection as Partial<Record<'duplicate' | 'call' | 'options' | 'connect', unknown>>;
  if (typeof client.duplicate !== 'function' && typeof client.connect !== 'function') return false;
  if (
    typeof client.duplicate === 'function' &&
    typeof client.call === 'function' &&
    isObject(client.options)
  ) {
    return true;
  }
  throw new DelayQueueError(
    'INVALID_OPTION',
    'connection looks like a client of another library; expected a client or Cluster of ioredis 5 or 6, or its options',
  );
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** ioredis prefixes the keys it sees, but not the hint channel and what scripts return. */
function refusePrefix(...options: ({ keyPrefix?: string | undefined } | undefined)[]): void {
  if (options.some((each) => each?.keyPrefix !== undefined && each.keyPrefix !== '')) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      "connection.keyPrefix is not supported: use the queue's 'namespace' instead, which begins every key",
    );
  }
}
