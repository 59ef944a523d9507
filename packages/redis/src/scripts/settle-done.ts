import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EACH, EARLIEST, HINT, NOW_UP } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 leases  5 held:<token>  6 next  7 seen
 * ARGV  1 now  2 token  3 dedupe ms  4 hint channel  5 "<index> <topic>"  6 size of the lease or 0  7… ids
 * With a size and no ids everything the lease holds is done; if that is another number, nothing is changed.
 * Returns 'other' in that case, else { earliest due time or '' if nothing became due, position of every id that was
 * not held … }.
 *
 * The first write removes, so a server out of memory lets a settle pass. `seen` is added to before it is
 * trimmed, and trimmed by up to twice what was added.
 */
export const SETTLE_DONE = defineScript(
  'settle-done',
  `${NOW_UP}${EACH}${EARLIEST}${HINT}
local due, message, retries, held, follow, seen = KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6], KEYS[7]
local followed, counted = redis.call('HLEN', follow) > 0, redis.call('HLEN', retries) > 0
local reply, mine, size = { '' }, {}, redis.call('SCARD', held)
local whole = ARGV[6] ~= '0'
if whole then
  if size ~= tonumber(ARGV[6]) then return 'other' end
  mine = redis.call('SMEMBERS', held)
end
for from = 7, #ARGV, 1000 do
  local to = math.min(from + 999, #ARGV)
  local member = redis.call('SMISMEMBER', held, unpack(ARGV, from, to))
  for i = from, to do
    if member[i - from + 1] == 1 then mine[#mine + 1] = ARGV[i] else reply[#reply + 1] = i - 6 end
  end
end
if #mine == 0 then return reply end
local gone, known, add, bodies, promoted = mine, {}, {}, {}, {}
if followed then gone = {} end
for from = 1, #mine, 1000 do
  local to = math.min(from + 999, #mine)
  local later = followed and redis.call('HMGET', follow, unpack(mine, from, to))
  local tried = counted and redis.call('HMGET', retries, unpack(mine, from, to))
  for i = from, to do
    local id, k = mine[i], i - from + 1
    if tried and tried[k] then known[#known + 1] = id end
    if later and later[k] then
      promoted[#promoted + 1] = id
      add[#add + 1], add[#add + 2] = tonumber(string.sub(later[k], 1, 11), 16), id
      bodies[#bodies + 1], bodies[#bodies + 2] = id, string.sub(later[k], 12)
    elseif later then gone[#gone + 1] = id end
  end
end
local before = #promoted > 0 and earliest(due)
local removed = 0
if whole then removed = redis.call('DEL', held) * size end
for from = 1, whole and 0 or #mine, 1000 do
  removed = removed + redis.call('SREM', held, unpack(mine, from, math.min(from + 999, #mine)))
end
if removed == size then redis.call('ZREM', KEYS[4], ARGV[2]) end
each('HDEL', message, gone) each('HDEL', retries, known) each('HDEL', follow, promoted)
each('ZADD', due, add) each('HSET', message, bodies)
if ARGV[3] ~= '0' then
  local score, list = string.format('%d', now + ARGV[3]), {}
  for i = 1, #gone do list[2 * i - 1], list[2 * i] = score, gone[i] end
  each('ZADD', seen, list)
end
local old = redis.call('ZCOUNT', seen, '-inf', now)
if old > 0 then redis.call('ZREMRANGEBYRANK', seen, 0, math.min(old, 2 * #mine) - 1) end
if #promoted > 0 then
  local first = earliest(due)
  reply[1] = string.format('%d', first)
  if first < before then hint(first, ARGV[4], ARGV[5]) end
end
return reply`,
);

/** What a settle script did; positions are 0-based and refer to its own list. */
export interface SettleReply {
  readonly lookAt: number | undefined;
  readonly stale: readonly number[];
  readonly superseded: readonly number[];
}

/**
 * Settles messages as done. `whole`: they should be all that the lease holds, so that their number will do; should
 * it hold others after all, they are named.
 */
export async function settleDone(
  target: ScriptTarget,
  token: string,
  ids: readonly string[],
  dedupeMs: number,
  whole: boolean,
): Promise<SettleReply> {
  const { keys } = target;
  const reply = (await target.run(
    SETTLE_DONE,
    [keys.due, keys.message, keys.retries, keys.leases, keys.held(token), keys.next, keys.seen],
    [
      token,
      `${dedupeMs}`,
      target.hintChannel,
      target.hintRegion,
      ...(whole ? [`${ids.length}`] : ['0', ...ids]),
    ],
  )) as 'other' | [string, ...number[]];
  if (reply === 'other') return settleDone(target, token, ids, dedupeMs, false);
  const [lookAt, ...stale] = reply;
  return {
    lookAt: lookAt === '' ? undefined : Number(lookAt),
    stale: stale.map((position) => position - 1),
    superseded: [],
  };
}
