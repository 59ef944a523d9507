import type { Topology, TopologyProposal } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { RunScript } from '../script-runner.js';

/*
 * KEYS  1 {namespace}:topics
 * ARGV  1 now (unused)  2 topic; with a proposal also  3 expected epoch  4 region count  5 least epoch
 *       6 former counts, "a,b,c" or ''  7 selector
 * Returns the entry after the call, or nil: "<epoch> <paused: 0 or 1> <counts: a,b,c> <selector>".
 *
 * Compare and set: a proposal based on another epoch or selector than the registry's
 * changes nothing.
 */
export const TOPOLOGY = defineScript(
  'topology',
  `local entry = redis.call('HGET', KEYS[1], ARGV[2])
if #ARGV < 3 then return entry end
local epoch, paused, counts, selector = string.match(entry or '0 0  ', '^(%d+) (%d) ([%d,]*) (.*)$')
if epoch ~= ARGV[3] or selector ~= '' and selector ~= ARGV[7] then return entry end
local list, present = {}, {}
local function add(count)
  if not present[count] then present[count] = true list[#list + 1] = count end
end
for count in string.gmatch(counts, '%d+') do if count ~= ARGV[4] then add(count) end end
for count in string.gmatch(ARGV[6], '%d+') do if count ~= ARGV[4] then add(count) end end
add(ARGV[4])
local wanted, least = table.concat(list, ','), tonumber(ARGV[5])
if wanted == counts and least <= tonumber(epoch) then return entry end
if selector == '' then selector = ARGV[7] end
local issued = string.format('%d', math.max(tonumber(epoch), least) + 1)
entry = issued .. ' ' .. paused .. ' ' .. wanted .. ' ' .. selector
redis.call('HSET', KEYS[1], ARGV[2], entry)
return entry`,
);

/** Reads a topic's registry entry, or changes it first. */
export async function topology(
  run: RunScript,
  topicsKey: string,
  topic: string,
  proposal?: TopologyProposal,
): Promise<Topology> {
  const args = [topic];
  if (proposal !== undefined) {
    const { expectedEpoch, regions, minEpoch = 0, former = [], selector } = proposal;
    args.push(`${expectedEpoch}`, `${regions}`, `${minEpoch}`, former.join(','), selector);
  }
  return readTopology((await run(TOPOLOGY, [topicsKey], args)) as string | null);
}

/** Reads an entry of the registry. */
export function readTopology(entry: string | null): Topology {
  const match = /^(\d+) ([01]) ([\d,]*) (.*)$/s.exec(entry ?? '0 0  ');
  if (match === null) throw new TypeError(`the topic registry holds ${JSON.stringify(entry)}`);
  const [, epoch = '0', paused = '0', counts = '', selector = ''] = match;
  return {
    epoch: Number(epoch),
    paused: paused === '1',
    counts: counts === '' ? [] : counts.split(',').map(Number),
    ...(selector === '' ? {} : { selector }),
  };
}
