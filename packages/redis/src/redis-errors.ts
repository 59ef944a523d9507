import { DelayQueueError, type DelayQueueErrorCode } from '@delay-queue/core';

/** Error replies after which nothing was done, by their first word. */
const REFUSALS: Readonly<Record<string, { code: DelayQueueErrorCode; what: string }>> = {
  OOM: { code: 'OUT_OF_MEMORY', what: 'Redis has reached maxmemory' },
  READONLY: { code: 'READ_ONLY', what: 'this Redis is a read-only replica' },
  MISCONF: { code: 'READ_ONLY', what: 'Redis refuses writes because it cannot persist' },
  NOREPLICAS: { code: 'READ_ONLY', what: 'Redis refuses writes because it has too few replicas' },
  LOADING: { code: 'UNAVAILABLE', what: 'Redis is loading its data' },
  BUSY: { code: 'UNAVAILABLE', what: 'Redis is busy with another script' },
  MASTERDOWN: { code: 'UNAVAILABLE', what: 'this Redis has lost its master' },
  CLUSTERDOWN: { code: 'UNAVAILABLE', what: 'the Redis Cluster is down' },
  TRYAGAIN: { code: 'UNAVAILABLE', what: 'the slot is being moved' },
  MOVED: { code: 'UNAVAILABLE', what: 'the slot has moved' },
  ASK: { code: 'UNAVAILABLE', what: 'the slot is being moved' },
  NOAUTH: { code: 'UNAVAILABLE', what: 'Redis asks for a password' },
  WRONGPASS: { code: 'UNAVAILABLE', what: 'Redis refuses the password' },
  NOPERM: { code: 'UNAVAILABLE', what: "the Redis user lacks a right (the queue's needs are in the docs)" },
};

/** What ioredis says about a command that it did not write to a socket. */
const NOT_SENT = /enableOfflineQueue options is false|Cluster is ended/;

/** What ioredis says about a command whose answer it gave up. */
const ANSWER_LOST =
  /Connection is closed|max retries per request|Command aborted|Command timed out|Socket timeout|ECONNRESET|EPIPE|ETIMEDOUT/i;

/**
 * The typed error for a command that failed: `UNAVAILABLE`, `OUT_OF_MEMORY` or `READ_ONLY` if nothing was done,
 * `TIMEOUT` with `mayBeStored` if the answer was lost, `UNSUPPORTED` for any other answer of Redis.
 *
 * @param what names the command in the message
 * @param connectionError why the connection was last lost, if it was
 */
export function commandError(error: unknown, what: string, connectionError?: Error): DelayQueueError {
  if (error instanceof DelayQueueError) return error;
  const message = messageOf(error);
  const refusal = REFUSALS[replyCode(message)];
  if (refusal !== undefined) {
    return new DelayQueueError(
      refusal.code,
      `${refusal.what}; ${what} did nothing (Redis says: ${message})`,
      {
        cause: safeCause(error),
      },
    );
  }
  if (NOT_SENT.test(message) || /max number of clients|Script killed/i.test(message)) {
    return unavailable(connectionError ?? error, what);
  }
  if (ANSWER_LOST.test(message)) {
    const why = connectionError === undefined ? message : messageOf(connectionError);
    return new DelayQueueError(
      'TIMEOUT',
      `the answer of Redis to ${what} was lost, it may have been carried out (${why})`,
      { mayBeStored: true, cause: safeCause(error) },
    );
  }
  return new DelayQueueError(
    'UNSUPPORTED',
    `Redis refused ${what} in a way that repeating does not cure; it may be half done (Redis says: ${message})`,
    { mayBeStored: true, cause: safeCause(error) },
  );
}

/** The typed error for a store that cannot be reached, or refuses us while connecting. */
export function unavailable(error: unknown, what: string): DelayQueueError {
  const message = messageOf(error);
  const refusal = REFUSALS[replyCode(message)]?.what;
  const why = refusal === undefined ? `Redis cannot be reached (${message})` : `${refusal} (${message})`;
  return new DelayQueueError('UNAVAILABLE', `${why}; ${what} did nothing`, { cause: safeCause(error) });
}

/** Whether trying again while booting is no use: the login, a right, the database or the version is refused. */
export function isHopeless(error: unknown): boolean {
  if (!(error instanceof DelayQueueError)) return true;
  if (error.code !== 'UNAVAILABLE') return !['TIMEOUT', 'READ_ONLY', 'OUT_OF_MEMORY'].includes(error.code);
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid (user|pass))/i.test(messageOf(error.cause));
}

/** Whether Redis says so, itself or out of a script, that it takes no writes here. */
export function isReadOnlyReply(error: Error): boolean {
  return replyCode(error.message) === 'READONLY';
}

/**
 * The code of an error reply. Redis before 7 wraps what a script ran into:
 * `ERR Error running script (call to f_…): @user_script:1: -READONLY You can't …`.
 * Cluster clients wrap what they gave up on: `Too many Cluster redirections. Last error: ReplyError: TRYAGAIN …`.
 */
function replyCode(message: string): string {
  const wrapped = /(?:^ERR Error .*?: ?-|Last error: (?:\w*Error: )?)([A-Z]+)\b/s.exec(message);
  return wrapped?.[1] ?? /^[A-Z]+/.exec(message)?.[0] ?? '';
}

/** The message of an error, with those of its parts where it has none (`AggregateError` of a failed connect). */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') {
    return error.errors.map((part) => messageOf(part)).join(', ');
  }
  return error instanceof Error ? error.message : String(error);
}

/** ioredis hangs the whole command on its errors, passwords and contents included: only name and message pass. */
function safeCause(error: unknown): Error {
  const cause = new Error(messageOf(error));
  if (error instanceof Error) cause.name = error.name;
  return cause;
}
