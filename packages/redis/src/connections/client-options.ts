import type { ClusterOptions, RedisOptions } from 'ioredis';
import { isReadOnlyReply } from '../redis-errors.js';

/** Without an answer for so long the socket counts as dead; also heals half-open connections. */
export const SOCKET_TIMEOUT_MS = 4_000;

/** A server that is told goodbye may take so long to hang up. */
export const GOODBYE_MS = 100;

/** What a connection is for: calls that core repeats itself, or a subscription that must come back by itself. */
export type ConnectionKind = 'calls' | 'subscriber';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;
const SAME_BREAK_MS = 100;

/** Tries for ever, after 50 ms, 100 ms … 1 s, each up to a tenth longer so that a fleet spreads. */
export function reconnectDelay(times: number): number {
  const delay = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(times - 1, 10));
  return Math.round(delay * (1 + Math.random() / 10));
}

/**
 * Asks for another connection when this one leads to a replica; once for all calls that were under way, whose
 * refusals come together: ioredis puts listeners on the socket each time it is asked.
 */
function leaveReplica(): (error: Error) => boolean {
  let askedAt = -Infinity;
  return (error) => {
    const now = performance.now();
    if (!isReadOnlyReply(error) || now - askedAt < SAME_BREAK_MS) return false;
    askedAt = now;
    return true;
  };
}

/** ioredis options whose answers have the one form that the scripts' callers read. */
export type OwnOptions = RedisOptions & { replyMapping: 'legacy' };

/**
 * What we set on every connection to one server, over whatever the user set. Core owns queueing, retries and
 * deadlines: nothing may be executed after it was rejected, or twice, so there is no offline queue and nothing is
 * sent again. The answers must look the same whatever the user's own client is set to.
 */
export function singleOptions(kind: ConnectionKind, name: string, sentinel: boolean): OwnOptions {
  const calls = kind === 'calls';
  return {
    lazyConnect: true,
    connectionName: name,
    maxRetriesPerRequest: calls ? 0 : null,
    enableOfflineQueue: !calls,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    socketTimeout: SOCKET_TIMEOUT_MS,
    commandTimeout: undefined,
    blockingTimeout: undefined,
    disconnectTimeout: GOODBYE_MS,
    retryStrategy: reconnectDelay,
    sentinelRetryStrategy: reconnectDelay,
    role: 'master',
    reconnectOnError: leaveReplica(),
    // Only Sentinel needs it (is this still the master?); elsewhere LOADING answers for itself, and a user
    // without the right to INFO would get a warning on the console at each connect.
    enableReadyCheck: sentinel,
    enableAutoPipelining: false,
    stringNumbers: false,
    readOnly: false,
    monitor: false,
    protocol: 2,
    replyMapping: 'legacy',
    scripts: undefined,
    himportFieldsets: undefined,
  };
}

/** The same for a Cluster; `redisOptions` are the user's own for its nodes. */
export function clusterOptions(
  kind: ConnectionKind,
  name: string,
  redisOptions: RedisOptions = {},
): ClusterOptions & { redisOptions: OwnOptions } {
  const { retryStrategy: _, ...perNode } = singleOptions(kind, name, false);
  return {
    lazyConnect: true,
    enableOfflineQueue: kind === 'subscriber',
    enableReadyCheck: true,
    scaleReads: 'master',
    maxRedirections: 3,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    retryDelayOnTryAgain: 50,
    retryDelayOnMoved: 0,
    clusterRetryStrategy: reconnectDelay,
    enableAutoPipelining: false,
    shardedSubscribers: false,
    scripts: undefined,
    himportFieldsets: undefined,
    redisOptions: { ...redisOptions, ...perNode },
  };
}
