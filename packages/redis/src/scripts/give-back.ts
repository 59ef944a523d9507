import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { DUE_OF, EACH, NOW_DOWN } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 leases  5 held:<token>  6 next
 * ARGV  1 now  2 token
 * Returns the number of messages given back.
 *
 * Undoes a claim whose answer was lost: everything is due again as it was, nothing is counted, because no
 * handler ever saw it. The first write removes, so a server out of memory lets it pass.
 */
export const GIVE_BACK = defineScript(
  'give-back',
  `${NOW_DOWN}${EACH}${DUE_OF}
local due, message, retries, held, follow = KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6]
local ids = redis.call('SMEMBERS', held)
local add, bodies, known, promoted = {}, {}, {}, {}
for i = 1, #ids do
  local id = ids[i]
  local later = redis.call('HGET', follow, id)
  if later then
    promoted[#promoted + 1] = id
    add[#add + 1], add[#add + 2] = tonumber(string.sub(later, 1, 11), 16), id
    bodies[#bodies + 1], bodies[#bodies + 2] = id, string.sub(later, 12)
    if redis.call('HEXISTS', retries, id) == 1 then known[#known + 1] = id end
  else
    add[#add + 1], add[#add + 2] = dueOf(redis.call('HGET', message, id)), id
  end
end
redis.call('ZREM', KEYS[4], ARGV[2])
if #ids > 0 then redis.call('DEL', held) end
each('ZADD', due, add) each('HSET', message, bodies)
each('HDEL', retries, known) each('HDEL', follow, promoted)
return #ids`,
);

/** Gives back, uncounted, what a claim of unknown outcome may hold. */
export async function giveBack(target: ScriptTarget, token: string): Promise<number> {
  const { keys } = target;
  const reply = await target.run(
    GIVE_BACK,
    [keys.due, keys.message, keys.retries, keys.leases, keys.held(token), keys.next],
    [token],
  );
  return reply as number;
}
