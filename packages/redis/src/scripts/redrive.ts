import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EACH, EARLIEST, HINT, NOW_UP, STAMP } from './lua.js';

/** Dead letters that one call of `redrive` or `discard` takes at most. */
export const MOST_DEAD_LETTERS = 500;

/*
 * KEYS  1 due  2 message  3 retries  4 dead  5 dead-message
 * ARGV  1 now  2 hint channel  3 "<index> <topic>"  4 'redrive' or 'discard'  5… ids
 * Returns 1 or 0 per id: whether it was dead.
 *
 * A redriven message is due now; its deliveries stay counted, failures and crashes begin anew. The first write
 * removes, so a server out of memory lets it pass.
 */
export const REDRIVE = defineScript(
  'redrive',
  `${NOW_UP}${EACH}${STAMP}${EARLIEST}${HINT}
local due, dead, records, revive = KEYS[1], KEYS[4], KEYS[5], ARGV[4] == 'redrive'
local gone, kept, add, bodies, counts, taken, reply = {}, {}, {}, {}, {}, {}, {}
for i = 5, #ARGV do
  local id = ARGV[i]
  local there = not taken[id] and redis.call('ZSCORE', dead, id)
  local record = there and redis.call('HGET', records, id)
  taken[id] = true
  there = there and (record or not revive)
  reply[#reply + 1] = there and 1 or 0
  if there then gone[#gone + 1] = id end
  if record then kept[#kept + 1] = id end
  if record and revive then
    local deliveries, length, stop = string.match(record, '^(%d+) %d+ %d+ (%d+)()')
    local envelope = string.sub(record, stop + 1 + length)
    add[#add + 1], add[#add + 2] = string.format('%d', now), id
    bodies[#bodies + 1], bodies[#bodies + 2] = id, stamp(envelope, now)
    if deliveries ~= '0' then counts[#counts + 1], counts[#counts + 2] = id, deliveries .. ' 0 0' end
  end
end
if #gone == 0 then return reply end
local before = revive and earliest(due)
each('ZREM', dead, gone) each('HDEL', records, kept)
each('ZADD', due, add) each('HSET', KEYS[2], bodies) each('HSET', KEYS[3], counts)
if #add > 0 and now < before then hint(now, ARGV[2], ARGV[3]) end
return reply`,
);

/** Revives or removes dead letters, up to `MOST_DEAD_LETTERS`; whether each was one. */
export async function redrive(
  target: ScriptTarget,
  what: 'redrive' | 'discard',
  ids: readonly string[],
): Promise<readonly boolean[]> {
  const { keys } = target;
  const reply = (await target.run(
    REDRIVE,
    [keys.due, keys.message, keys.retries, keys.dead, keys.deadMessage],
    [target.hintChannel, target.hintRegion, what, ...ids],
  )) as number[];
  return reply.map((flag) => flag === 1);
}
