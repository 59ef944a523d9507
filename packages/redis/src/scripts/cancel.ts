import type { CancelOutcome, Moved } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EACH, epochCheck, NOW_DOWN } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 next  5 dead  6 seen  7 epoch
 * ARGV  1 now  2 epoch  3… ids
 * Returns 'moved', or an outcome per id.
 *
 * All reading is done before the first write, and only what is there is removed, so no key is touched after it
 * was emptied. The first write removes, so a server out of memory lets it pass.
 */
export const CANCEL = defineScript(
  'cancel',
  `${NOW_DOWN}${epochCheck('KEYS[7]', 'ARGV[2]')}${EACH}
local due, message, retries, follow, dead, seen = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local gone, counted, dropped, taken, reply = {}, {}, {}, {}, {}
for from = 3, #ARGV, 1000 do
  local to = math.min(from + 999, #ARGV)
  local scores = redis.call('ZMSCORE', due, unpack(ARGV, from, to))
  for i = from, to do
    local id, outcome = ARGV[i], 'unknown'
    if taken[id] then outcome = taken[id] == 'cancelled' and 'unknown' or taken[id]
    elseif scores[i - from + 1] then
      outcome = 'cancelled'
      gone[#gone + 1] = id
      if redis.call('HEXISTS', retries, id) == 1 then counted[#counted + 1] = id end
    elseif redis.call('HEXISTS', message, id) == 1 then
      outcome = 'running'
      if redis.call('HEXISTS', follow, id) == 1 then dropped[#dropped + 1] = id end
    elseif redis.call('ZSCORE', dead, id) then outcome = 'dead'
    elseif tonumber(redis.call('ZSCORE', seen, id) or 0) > now then outcome = 'handled' end
    taken[id] = outcome
    reply[#reply + 1] = outcome
  end
end
if #gone == 0 then redis.call('ZREM', due, '') end
each('ZREM', due, gone)
each('HDEL', message, gone)
each('HDEL', retries, counted)
each('HDEL', follow, dropped)
if shown > epoch then redis.call('SET', KEYS[7], shown) end
return reply`,
);

/** Cancels what waits; outcomes in the order of `ids`. */
export async function cancel(
  target: ScriptTarget,
  ids: readonly string[],
  epoch: number,
): Promise<readonly CancelOutcome[] | Moved> {
  const { keys } = target;
  const reply = await target.run(
    CANCEL,
    [keys.due, keys.message, keys.retries, keys.next, keys.dead, keys.seen, keys.epoch],
    [`${epoch}`, ...ids],
  );
  return reply as CancelOutcome[] | Moved;
}
