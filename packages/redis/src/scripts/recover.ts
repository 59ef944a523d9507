import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EACH, NOW_DOWN } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 leases  5 held:<token>  6 next  7 dead  8 dead-message
 * ARGV  1 now  2 token  3 crashes allowed  4 random seed
 * Returns { messages given back, token of the then oldest lease or '', its expiry, then id and reason of every
 *       new dead letter … }.
 *
 * Gives back an expired lease as a whole: each message counts a crash and is due again now, from its second
 * crash on at some time within 2 s per crash, so that suspects part. A message whose follower waits makes way
 * for it. The first write removes, so a server out of memory lets a recovery pass.
 */
export const RECOVER = defineScript(
  'recover',
  `${NOW_DOWN}${EACH}
local due, message, retries, held, follow = KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6]
local expiry = redis.call('ZSCORE', KEYS[4], ARGV[2])
if not expiry or tonumber(expiry) > now then return { 0, '', '' } end
local after = redis.call('ZRANGE', KEYS[4], 0, 1, 'WITHSCORES')
if after[1] == ARGV[2] then after[1], after[2] = after[3], after[4] end
local ids, most, reply = redis.call('SMEMBERS', held), tonumber(ARGV[3]), { 0, after[1] or '', after[2] or '' }
local add, bodies, counts, known, promoted, died, records, gone = {}, {}, {}, {}, {}, {}, {}, {}
math.randomseed(tonumber(ARGV[4]))
for from = 1, #ids, 1000 do
  local to = math.min(from + 999, #ids)
  local later = redis.call('HMGET', follow, unpack(ids, from, to))
  local tried = redis.call('HMGET', retries, unpack(ids, from, to))
  for k = 1, to - from + 1 do
    local id = ids[from + k - 1]
    local d, f, c = string.match(tried[k] or '0 0 0', '(%d+) (%d+) (%d+)')
    c = c + 1
    if later[k] then
      promoted[#promoted + 1] = id
      add[#add + 1], add[#add + 2] = tonumber(string.sub(later[k], 1, 11), 16), id
      bodies[#bodies + 1], bodies[#bodies + 2] = id, string.sub(later[k], 12)
      if tried[k] then known[#known + 1] = id end
    elseif c > most then
      local reason = string.format('%d deliveries ended in a lost lease', c)
      local envelope = redis.call('HGET', message, id)
      local line = string.format('%d %d %d %d\\n', d + 1, f, c, #reason)
      died[#died + 1], died[#died + 2] = now, id
      records[#records + 1], records[#records + 2] = id, line .. reason .. (envelope or '1' .. string.rep('0', 22))
      if envelope then gone[#gone + 1] = id end
      if tried[k] then known[#known + 1] = id end
      reply[#reply + 1], reply[#reply + 2] = id, reason
    else
      add[#add + 1], add[#add + 2] = now + (c > 1 and math.random(0, 2000 * c) or 0), id
      counts[#counts + 1], counts[#counts + 2] = id, string.format('%d %d %d', d + 1, f, c)
    end
  end
end
reply[1] = #add / 2
redis.call('ZREM', KEYS[4], ARGV[2])
if #ids > 0 then redis.call('DEL', held) end
each('ZADD', due, add) each('HSET', message, bodies) each('HDEL', message, gone)
each('HSET', retries, counts) each('HDEL', retries, known) each('HDEL', follow, promoted)
each('ZADD', KEYS[7], died) each('HSET', KEYS[8], records)
return reply`,
);

/** What a recovery gave back, and what it made dead letters. */
export interface RecoverReply {
  readonly recovered: number;
  readonly dead: readonly { readonly id: string; readonly reason: string }[];
  /** The oldest lease of the region afterwards. */
  readonly oldestLease?: Lease;
}

/** A lease as a region knows it. */
export interface Lease {
  readonly token: string;
  readonly expiresAt: number;
}

/** Gives back what the lease `token` holds, if it has expired. */
export async function recover(
  target: ScriptTarget,
  token: string,
  maxCrashes: number,
): Promise<RecoverReply> {
  const { keys } = target;
  const [recovered, oldest, expiry, ...list] = (await target.run(
    RECOVER,
    [
      keys.due,
      keys.message,
      keys.retries,
      keys.leases,
      keys.held(token),
      keys.next,
      keys.dead,
      keys.deadMessage,
    ],
    [token, `${Math.min(maxCrashes, Number.MAX_SAFE_INTEGER)}`, `${Math.floor(Math.random() * 0x7fffffff)}`],
  )) as [number, string, string, ...string[]];
  const dead: { id: string; reason: string }[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) {
    dead.push({ id: String(list[i]), reason: String(list[i + 1]) });
  }
  return {
    recovered,
    dead,
    ...(oldest === '' ? {} : { oldestLease: { token: oldest, expiresAt: Number(expiry) } }),
  };
}
