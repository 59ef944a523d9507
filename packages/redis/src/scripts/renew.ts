import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { NOW_DOWN } from './lua.js';

/*
 * KEYS  1 leases
 * ARGV  1 now  2 lease ms  3… tokens
 * Returns the tokens that are lost.
 *
 * Never adds one again. A lease that has expired but was not recovered yet is still held, and is prolonged.
 * Begins with a removal that removes nothing, so a server out of memory lets the rest pass.
 */
export const RENEW = defineScript(
  'renew',
  `${NOW_DOWN}
local leases, lost = KEYS[1], {}
local expiry = string.format('%d', now + ARGV[2])
redis.call('ZREM', leases, '')
for i = 3, #ARGV do
  if redis.call('ZSCORE', leases, ARGV[i]) then redis.call('ZADD', leases, 'XX', expiry, ARGV[i])
  else lost[#lost + 1] = ARGV[i] end
end
return lost`,
);

/** Prolongs leases; resolves with those that were lost. */
export async function renew(
  target: ScriptTarget,
  tokens: readonly string[],
  leaseMs: number,
): Promise<readonly string[]> {
  const reply = await target.run(RENEW, [target.keys.leases], [`${leaseMs}`, ...tokens]);
  return reply as string[];
}
