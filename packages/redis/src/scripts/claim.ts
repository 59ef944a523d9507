import type { ClaimedMessage } from '@delay-queue/core';
import { readCounts, type DeliveryCounts } from '../delivery-counts.js';
import { readEnvelope, type Envelope } from '../envelope.js';
import { readPackedLists } from '../packed-lists.js';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EACH, NOW_DOWN } from './lua.js';
import type { Lease } from './recover.js';

/*
 * KEYS  1 due  2 message  3 retries  4 leases  5 held:<token>  6 dead  7 dead-message  8 paused
 * ARGV  1 now  2 max  3 lease ms  4 token
 * Returns { now } while paused, else { now, next due time or '', token of the oldest lease or '', its expiry,
 *       ids and envelopes (two lists, packed), retries (empty: none has any), ids without a body }.
 *
 * Bodies are read in steps until 1 MiB, which fixes the count. A message with two crashes or more is claimed
 * alone, so that it cannot take others down with it. The due time is in the envelope; scores in the reply would
 * cost a quarter of the throughput. One packed text costs the client a third of what its parts would. The first
 * write removes, so a server out of memory lets a claim pass.
 */
export const CLAIM = defineScript(
  'claim',
  `${NOW_DOWN}${EACH}
local due, message, retries, held = KEYS[1], KEYS[2], KEYS[3], KEYS[5]
if redis.call('EXISTS', KEYS[8]) == 1 then return { now } end
local oldest = redis.call('ZRANGE', KEYS[4], 0, 0, 'WITHSCORES')
local ids = redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2])
local n, bodies, counts, bytes, i, step = #ids, {}, {}, 0, 0, 10
local counted = n > 0 and redis.call('HLEN', retries) > 0
while i < n do
  local to = math.min(i + step, n)
  local read = redis.call('HMGET', message, unpack(ids, i + 1, to))
  local tried = counted and redis.call('HMGET', retries, unpack(ids, i + 1, to))
  for k = 1, to - i do
    if tried then
      if tried[k] and tonumber(string.match(tried[k], '%d+$')) >= 2 then n = math.max(i + k - 1, 1) end
      if i + k > n then break end
      counts[i + k] = tried[k]
    end
    bodies[i + k] = read[k]
    bytes = bytes + (read[k] and #read[k] or 0)
    if bytes >= 1048576 then n = math.min(n, i + k) end
    if i + k >= n then break end
  end
  i = to
  step = math.max(1, math.min(100, math.floor((1048576 - bytes) * i / (bytes + 1))))
end
local lost, losses, forgotten, kept = {}, {}, {}, ids
local whole = n == #ids
for k = 1, n do if not bodies[k] then whole = false break end end
if not whole then
  kept = {}
  local envelopes, tries = {}, {}
  for k = 1, n do
    if bodies[k] then
      kept[#kept + 1], envelopes[#envelopes + 1] = ids[k], bodies[k]
      if counted then tries[#kept] = counts[k] end
    else
      local at = redis.call('ZSCORE', due, ids[k])
      lost[#lost + 1], losses[#losses + 1] = ids[k], ids[k]
      losses[#losses + 1] = (counts[k] or '0 0 0') .. ' 12\\nlost content1' .. string.format('%011x%011x', at, at)
      if counts[k] then forgotten[#forgotten + 1] = ids[k] end
    end
  end
  bodies, counts = envelopes, tries
end
local after = redis.call('ZRANGE', due, n, n, 'WITHSCORES')
if n > 0 then
  redis.call('ZREMRANGEBYRANK', due, 0, n - 1)
  if #kept > 0 then each('SADD', held, kept) redis.call('ZADD', KEYS[4], now + ARGV[3], ARGV[4]) end
  for k = 1, #lost do redis.call('ZADD', KEYS[6], now, lost[k]) end
  each('HSET', KEYS[7], losses) each('HDEL', retries, forgotten)
end
return { now, after[2] or '', oldest[1] or '', oldest[2] or '', cmsgpack.pack(kept, bodies), counts, lost }`,
  { binary: true },
);

/** What the claim script found. */
export interface ClaimReply {
  readonly now: number;
  readonly paused: boolean;
  /** Due time of the message behind the claimed ones; in the past if there was no room for it. */
  readonly nextDueAt: number | undefined;
  readonly oldestLease: Lease | undefined;
  readonly messages: readonly ClaimedMessage[];
  readonly unreadable: readonly string[];
  /** The token, if it holds anything. */
  readonly lease: string | undefined;
  readonly lost: readonly string[];
}

/** Takes up to `max` due messages under `token`. */
export async function claim(
  target: ScriptTarget,
  token: string,
  max: number,
  leaseMs: number,
): Promise<ClaimReply> {
  const { keys } = target;
  const reply = (await target.run(
    CLAIM,
    [
      keys.due,
      keys.message,
      keys.retries,
      keys.leases,
      keys.held(token),
      keys.dead,
      keys.deadMessage,
      keys.paused,
    ],
    [`${max}`, `${leaseMs}`, token],
  )) as RawReply;
  return readReply(reply, token);
}

type RawReply =
  | readonly [now: number]
  | readonly [
      now: number,
      nextDueAt: Buffer,
      oldestToken: Buffer,
      oldestExpiry: Buffer,
      packed: Buffer,
      retries: readonly (Buffer | null)[],
      lost: readonly Buffer[],
    ];

function readReply(reply: RawReply, token: string): ClaimReply {
  if (reply.length === 1) {
    return {
      now: reply[0],
      paused: true,
      nextDueAt: undefined,
      oldestLease: undefined,
      messages: [],
      unreadable: [],
      lease: undefined,
      lost: [],
    };
  }
  const [now, nextDueAt, oldestToken, oldestExpiry, packed, retries, lost] = reply;
  const [ids = [], envelopes = []] = readPackedLists(packed);
  const messages: ClaimedMessage[] = [];
  const unreadable: string[] = [];
  ids.forEach((id, i) => {
    const envelope = readEnvelope(envelopes[i] ?? '');
    if (envelope === undefined) unreadable.push(id);
    else messages.push(claimedMessage(id, envelope, readCounts(retries[i]?.toString())));
  });
  return {
    now,
    paused: false,
    nextDueAt: nextDueAt.length === 0 ? undefined : Number(nextDueAt.toString()),
    oldestLease: readLease(oldestToken.toString(), oldestExpiry.toString()),
    messages,
    unreadable,
    lease: ids.length === 0 ? undefined : token,
    lost: lost.map((id) => id.toString()),
  };
}

const readLease = (token: string, expiry: string): Lease | undefined =>
  token === '' ? undefined : { token, expiresAt: Number(expiry) };

/** Field by field: spreads would make each message several times as large and slow. */
function claimedMessage(id: string, envelope: Envelope, counts: DeliveryCounts): ClaimedMessage {
  return {
    id,
    dueAt: envelope.dueAt,
    sentAt: envelope.sentAt,
    content: envelope.content,
    headers: envelope.headers,
    deliveries: counts.deliveries,
    failures: counts.failures,
    crashes: counts.crashes,
  };
}
