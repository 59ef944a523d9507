import type { Verdict } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { DUE_OF, EACH, EARLIEST, HINT, NOW_UP, STAMP } from './lua.js';
import type { SettleReply } from './settle-done.js';

/** Verdicts other than `done` that one script takes at most, so that it stays short. */
export const MOST_VERDICTS = 200;

/*
 * KEYS  1 due  2 message  3 retries  4 leases  5 held:<token>  6 next  7 dead  8 dead-message
 * ARGV  1 now  2 token  3 hint channel  4 "<index> <topic>"; then four per message: id and
 *       'retry', delay ms, failed (0 or 1) | 'dead', reason, failed | 'release', delay ms or '', started
 * Returns { earliest due time or '' if nothing became due, stale positions, superseded positions }.
 *
 * All reading is done before the first write; that one removes, so a server out of memory lets a settle pass.
 */
export const SETTLE_REST = defineScript(
  'settle-rest',
  `${NOW_UP}${EACH}${STAMP}${DUE_OF}${EARLIEST}${HINT}
local due, message, retries, held, follow = KEYS[1], KEYS[2], KEYS[3], KEYS[5], KEYS[6]
local stale, superseded, mine, add, bodies, counts, known = {}, {}, {}, {}, {}, {}, {}
local promoted, died, records, gone = {}, {}, {}, {}
for at = 5, #ARGV, 4 do
  local id, verdict, what, flag = ARGV[at], ARGV[at + 1], ARGV[at + 2], tonumber(ARGV[at + 3])
  local later = redis.call('HGET', follow, id)
  local tried = redis.call('HGET', retries, id)
  local envelope = redis.call('HGET', message, id)
  local d, f, c = string.match(tried or '0 0 0', '(%d+) (%d+) (%d+)')
  if redis.call('SISMEMBER', held, id) == 0 then stale[#stale + 1] = (at - 5) / 4
  else
    mine[#mine + 1] = id
    if later then
      superseded[#superseded + 1] = (at - 5) / 4
      promoted[#promoted + 1] = id
      add[#add + 1], add[#add + 2] = tonumber(string.sub(later, 1, 11), 16), id
      bodies[#bodies + 1], bodies[#bodies + 2] = id, string.sub(later, 12)
      if tried then known[#known + 1] = id end
    elseif verdict == 'dead' then
      died[#died + 1], died[#died + 2] = now, id
      local line = string.format('%d %d %d %d\\n', d + 1, f + flag, c, #what)
      records[#records + 1], records[#records + 2] = id, line .. what .. (envelope or '1' .. string.rep('0', 22))
      if envelope then gone[#gone + 1] = id end
      if tried then known[#known + 1] = id end
    else
      local retry = verdict == 'retry'
      local score = what == '' and dueOf(envelope) or now + what
      add[#add + 1], add[#add + 2] = score, id
      if retry and envelope then bodies[#bodies + 1], bodies[#bodies + 2] = id, stamp(envelope, score) end
      if retry or flag == 1 then
        counts[#counts + 1] = id
        counts[#counts + 1] = string.format('%d %d %d', d + 1, retry and f + flag or f, c)
      end
    end
  end
end
if #mine == 0 then return { '', stale, superseded } end
local before, size = #add > 0 and earliest(due), redis.call('SCARD', held)
if redis.call('SREM', held, unpack(mine)) == size then redis.call('ZREM', KEYS[4], ARGV[2]) end
each('ZADD', due, add) each('HSET', message, bodies) each('HDEL', message, gone)
each('HSET', retries, counts) each('HDEL', retries, known) each('HDEL', follow, promoted)
each('ZADD', KEYS[7], died) each('HSET', KEYS[8], records)
if #add == 0 then return { '', stale, superseded } end
local first = earliest(due)
if first < before then hint(first, ARGV[3], ARGV[4]) end
return { string.format('%d', first), stale, superseded }`,
);

/** A verdict that is not `done`. */
export type OtherVerdict = Exclude<Verdict, { verdict: 'done' }>;

/** Settles up to `MOST_VERDICTS` messages as retry, dead or released. */
export async function settleRest(
  target: ScriptTarget,
  token: string,
  verdicts: readonly OtherVerdict[],
): Promise<SettleReply> {
  const { keys } = target;
  const [lookAt, stale, superseded] = (await target.run(
    SETTLE_REST,
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
    [token, target.hintChannel, target.hintRegion, ...verdicts.flatMap(verdictArguments)],
  )) as [string, number[], number[]];
  return { lookAt: lookAt === '' ? undefined : Number(lookAt), stale, superseded };
}

function verdictArguments(verdict: OtherVerdict): readonly string[] {
  switch (verdict.verdict) {
    case 'retry':
      return [verdict.id, 'retry', delayArgument(verdict.delayMs), verdict.failed ? '1' : '0'];
    case 'dead':
      return [verdict.id, 'dead', verdict.reason, verdict.failed ? '1' : '0'];
    case 'release': {
      const delay = verdict.delayMs === undefined ? '' : delayArgument(verdict.delayMs);
      return [verdict.id, 'release', delay, verdict.started ? '1' : '0'];
    }
  }
}

const delayArgument = (delayMs: number): string => `${Math.max(0, Math.ceil(delayMs))}`;
