import type { Due, Moved, RescheduleOutcome } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { dueArgument } from './due-argument.js';
import { EARLIEST, epochCheck, HINT, NOW_UP, STAMP } from './lua.js';

/*
 * KEYS  1 due  2 message  3 next  4 dead  5 seen  6 epoch
 * ARGV  1 now  2 epoch  3 hint channel  4 "<index> <topic>"  5 id  6 due (delay, or '@' and a time)
 * Returns 'moved' or the outcome.
 *
 * Begins its writing with a removal that removes nothing, so a server out of memory lets the rest pass.
 */
export const RESCHEDULE = defineScript(
  'reschedule',
  `${NOW_UP}${epochCheck('KEYS[6]', 'ARGV[2]')}${STAMP}${EARLIEST}${HINT}
local due, message, follow, id, when = KEYS[1], KEYS[2], KEYS[3], ARGV[5], ARGV[6]
local at = string.byte(when) == 64 and math.max(now, tonumber(string.sub(when, 2))) or now + tonumber(when)
local score, envelope = redis.call('ZSCORE', due, id), redis.call('HGET', message, id)
local waiting = not score and envelope and redis.call('HGET', follow, id)
local outcome = 'unknown'
if score or waiting then outcome = 'rescheduled'
elseif envelope then outcome = 'running'
elseif redis.call('ZSCORE', KEYS[4], id) then outcome = 'dead'
elseif tonumber(redis.call('ZSCORE', KEYS[5], id) or 0) > now then outcome = 'handled' end
local before = earliest(due)
redis.call('ZREM', due, '')
if score then
  redis.call('ZADD', due, at, id)
  if envelope then redis.call('HSET', message, id, stamp(envelope, at)) end
  if at < before then hint(at, ARGV[3], ARGV[4]) end
elseif waiting then
  redis.call('HSET', follow, id, string.format('%011x', at) .. stamp(string.sub(waiting, 12), at))
end
if shown > epoch then redis.call('SET', KEYS[6], shown) end
return outcome`,
);

/** Moves the due time of a waiting message, or of the follower of a running one. */
export async function reschedule(
  target: ScriptTarget,
  id: string,
  due: Due,
  epoch: number,
): Promise<RescheduleOutcome | Moved> {
  const { keys } = target;
  const reply = await target.run(
    RESCHEDULE,
    [keys.due, keys.message, keys.next, keys.dead, keys.seen, keys.epoch],
    [`${epoch}`, target.hintChannel, target.hintRegion, id, dueArgument(due)],
  );
  return reply as RescheduleOutcome | Moved;
}
