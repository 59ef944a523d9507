import type { Page, StoredMessage } from '@delay-queue/core';
import type { RegionKeys } from './keys.js';
import type { RunCommand } from './run-command.js';
import { fromDead, fromEnvelope } from './stored-message.js';

/** Leases whose sizes are asked for at once. */
const LEASES_AT_ONCE = 100;

/** Reads one page of a region's messages: by due time, by time of death, or by lease. */
export async function readPage(
  command: RunCommand,
  keys: RegionKeys,
  state: 'waiting' | 'running' | 'dead',
  from: number,
  limit: number,
): Promise<Page> {
  const found =
    state === 'running'
      ? await heldIds(command, keys, from, limit + 1)
      : await timedIds(command, state === 'dead' ? keys.dead : keys.due, from, limit + 1);
  const shown = found.slice(0, limit);
  const more = found.length > limit ? { next: from + limit } : {};
  if (shown.length === 0) return { messages: [], ...more };
  const ids = shown.map(({ id }) => id);
  if (state === 'dead') {
    const records = (await command('hmget', keys.deadMessage, ...ids)) as (string | null)[];
    return { messages: shown.map(({ id, at }, i) => fromDead(id, at ?? 0, records[i] ?? '')), ...more };
  }
  const [envelopes, counts] = (await Promise.all([
    command('hmget', keys.message, ...ids),
    command('hmget', keys.retries, ...ids),
  ])) as [(string | null)[], (string | null)[]];
  const messages: StoredMessage[] = shown.map(({ id, at }, i) =>
    fromEnvelope(id, state, at, envelopes[i] ?? '', counts[i]),
  );
  return { messages, ...more };
}

interface FoundId {
  readonly id: string;
  readonly at?: number;
}

async function timedIds(
  command: RunCommand,
  key: string,
  from: number,
  limit: number,
): Promise<readonly FoundId[]> {
  const flat = (await command('zrange', key, `${from}`, `${from + limit - 1}`, 'WITHSCORES')) as string[];
  return flat.flatMap((id, i) => (i % 2 === 0 ? [{ id, at: Number(flat[i + 1]) }] : []));
}

/** Ids held under leases, oldest lease first; leases before `from` are skipped by their size. */
async function heldIds(
  command: RunCommand,
  keys: RegionKeys,
  from: number,
  limit: number,
): Promise<readonly FoundId[]> {
  const found: FoundId[] = [];
  let skip = from;
  for (let start = 0; found.length < limit; start += LEASES_AT_ONCE) {
    const tokens = (await command(
      'zrange',
      keys.leases,
      `${start}`,
      `${start + LEASES_AT_ONCE - 1}`,
    )) as string[];
    if (tokens.length === 0) break;
    const sizes = await Promise.all(tokens.map((token) => command('scard', keys.held(token))));
    for (const [i, token] of tokens.entries()) {
      const size = Number(sizes[i]);
      if (skip >= size) skip -= size;
      else {
        const ids = (await command('smembers', keys.held(token))) as string[];
        found.push(
          ...ids
            .sort()
            .slice(skip)
            .map((id) => ({ id })),
        );
        skip = 0;
      }
      if (found.length >= limit) break;
    }
  }
  return found.slice(0, limit);
}
