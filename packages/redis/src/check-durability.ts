import { DelayQueueError } from '@delay-queue/core';
import type { SingleClient } from './connections/redis-client.js';
import type { Durability } from './durability.js';
import { confirm } from './durable-runner.js';
import { messageOf } from './redis-errors.js';

/** How long the check waits for replicas. */
const PATIENCE_MS = 500;

/**
 * Asks a master for the confirmation that every send will need; resolves with what is wrong but may pass.
 *
 * @throws DelayQueueError UNSUPPORTED if the server has no `WAITAOF`, keeps no append-only file, or refuses the command
 */
export async function checkDurability(
  master: SingleClient,
  durability: Durability,
): Promise<readonly string[]> {
  const { replicas, fsync, timeoutMs } = durability;
  let reply: unknown;
  try {
    reply = await confirm(master, { ...durability, timeoutMs: Math.min(timeoutMs, PATIENCE_MS) });
  } catch (error) {
    if (!/^(ERR|NOPERM)/.test(messageOf(error))) throw error;
    const need = fsync
      ? 'fsync needs WAITAOF of Redis 7.2 or newer and appendonly yes'
      : 'replicas needs WAIT';
    throw new DelayQueueError('UNSUPPORTED', `durability.${need}; this server says: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const confirmed = fsync ? (reply as [number, number])[1] : Number(reply);
  if (confirmed >= replicas) return [];
  return [
    `durability asks for ${replicas} replicas and ${confirmed} answer: until there are more, every send rejects with NOT_DURABLE`,
  ];
}
