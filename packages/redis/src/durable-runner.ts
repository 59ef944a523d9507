import { DelayQueueError, type Clock } from '@delay-queue/core';
import { Confirmations } from './confirmations.js';
import type { Connection } from './connections/connection.js';
import { ownerOf } from './connections/owner.js';
import { isClusterClient, type SingleClient } from './connections/redis-client.js';
import type { Durability } from './durability.js';
import { commandError, messageOf, unavailable } from './redis-errors.js';
import { isUnknownScript, scriptArguments, type RunScript } from './script-runner.js';

/**
 * Runs scripts over a connection of its own and waits, after each, until what it wrote is as safe as `durability`
 * asks. The wait goes out behind the script, to the same server over the same socket, since that is what Redis goes
 * by; so in a Cluster nothing is redirected: a region whose slot moves is away until it has moved.
 *
 * It also covers what others wrote before: a duplicate of a message that is not yet safe waits for it.
 *
 * @throws DelayQueueError NOT_DURABLE if the script was carried out and this was not confirmed in time
 */
export function durableRunner(connection: Connection, clock: Clock, durability: Durability): RunScript {
  return async (script, keys, args) => {
    const client = await connection.ready();
    const owner = ownerOf(client, keys[0] ?? '');
    if (owner === undefined)
      throw unavailable(new Error('the slot has no master now'), `the ${script.name} script`);
    const rest = scriptArguments(clock, keys, args);
    const call = script.binary ? 'callBuffer' : 'call';
    const attempt = (command: string, first: string) => {
      const done = owner[call](command, [first, ...rest]);
      const confirmed = Confirmations.of(owner).wait(() => confirm(owner, durability));
      confirmed.catch(() => undefined);
      return { done, confirmed };
    };

    let { done, confirmed } = attempt('evalsha', script.sha);
    let value: unknown;
    try {
      value = await done.catch((error: unknown) => {
        if (!isUnknownScript(error)) throw error;
        ({ done, confirmed } = attempt('eval', script.lua));
        return done;
      });
    } catch (error) {
      if (isClusterClient(client) && /^(MOVED|ASK) /.test(messageOf(error))) client.refreshSlotsCache();
      throw commandError(error, `the ${script.name} script`, connection.lastError);
    }
    let reply: unknown;
    try {
      reply = await confirmed;
    } catch (error) {
      throw unconfirmed(error, connection);
    }
    const missing = missingFrom(reply, durability);
    if (missing !== undefined) throw notDurable(`${missing} within ${durability.timeoutMs} ms`);
    return value;
  };
}

/** Asks for the confirmation: of replicas by `WAIT`, of disks by `WAITAOF`. */
export function confirm(owner: SingleClient, { replicas, fsync, timeoutMs }: Durability): Promise<unknown> {
  return fsync
    ? owner.call('waitaof', ['1', `${replicas}`, `${timeoutMs}`])
    : owner.call('wait', [`${replicas}`, `${timeoutMs}`]);
}

function missingFrom(reply: unknown, { replicas, fsync }: Durability): string | undefined {
  const [local, remote] = fsync ? (reply as [number, number]) : [1, Number(reply)];
  if (local < 1) return 'its append-only file was not on disk';
  return remote < replicas ? `${remote} of ${replicas} replicas had it` : undefined;
}

function unconfirmed(reason: unknown, connection: Connection): DelayQueueError {
  const error = commandError(reason, 'the wait for its confirmation', connection.lastError);
  // A lost answer is worth another try: the call is repeated, finds itself, and waits again.
  return error.code === 'TIMEOUT' ? error : notDurable(error.message, error);
}

const notDurable = (why: string, cause?: unknown): DelayQueueError =>
  new DelayQueueError('NOT_DURABLE', `it was carried out and stored, but is not yet safe: ${why}`, {
    mayBeStored: true,
    cause,
  });
