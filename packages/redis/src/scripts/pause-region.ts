import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { EARLIEST, HINT } from './lua.js';

/*
 * KEYS  1 paused  2 due
 * ARGV  1 now (unused)  2 '1' to pause, '0' to resume  3 hint channel  4 "<index> <topic>"
 *
 * Resuming hints, so that sleeping consumers look. The first write removes (pausing: nothing), so a server out
 * of memory lets it pass.
 */
export const PAUSE_REGION = defineScript(
  'pause-region',
  `${EARLIEST}${HINT}
local paused, due = KEYS[1], KEYS[2]
if ARGV[2] == '1' then
  redis.call('ZREM', due, '')
  redis.call('SET', paused, '1')
elseif redis.call('DEL', paused) == 1 then
  local first = earliest(due)
  if first < math.huge then hint(first, ARGV[3], ARGV[4]) end
end`,
);

/** Pauses or resumes one region. */
export async function pauseRegion(target: ScriptTarget, paused: boolean): Promise<void> {
  const { keys } = target;
  await target.run(
    PAUSE_REGION,
    [keys.paused, keys.due],
    [paused ? '1' : '0', target.hintChannel, target.hintRegion],
  );
}
