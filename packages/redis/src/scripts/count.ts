import type { RegionCounts } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { NOW_DOWN } from './lua.js';

/*
 * KEYS  1 due  2 message  3 dead
 * ARGV  1 now  2 "soon": ms
 * Returns { waiting, due, running, dead, due within "soon" }. What has a body and does not wait is running.
 */
export const COUNT = defineScript(
  'count',
  `${NOW_DOWN}
local waiting, bodies = redis.call('ZCARD', KEYS[1]), redis.call('HLEN', KEYS[2])
return {
  waiting, redis.call('ZCOUNT', KEYS[1], '-inf', now), math.max(0, bodies - waiting), redis.call('ZCARD', KEYS[3]),
  redis.call('ZCOUNT', KEYS[1], '-inf', now + ARGV[2])
}`,
);

/** Counts of a region, with how many waiting messages are due within `soonMs`, overdue ones included. */
export async function count(
  target: ScriptTarget,
  soonMs: number,
): Promise<RegionCounts & { readonly soon: number }> {
  const { keys } = target;
  const [waiting, due, running, dead, soon] = (await target.run(
    COUNT,
    [keys.due, keys.message, keys.dead],
    [`${Math.max(0, Math.floor(soonMs))}`],
  )) as [number, number, number, number, number];
  return { waiting, due, running, dead, soon };
}
