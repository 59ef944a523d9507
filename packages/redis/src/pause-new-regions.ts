import type { Topology } from '@delay-queue/core';
import type { Keys } from './keys.js';
import { scriptTarget, type RunScript } from './script-runner.js';
import { pauseRegion } from './scripts/pause-region.js';
import { topology } from './scripts/topology.js';

/** Carries a topic's pause over to the regions that a new count brought; resolves with the registry afterwards. */
export async function pauseNewRegions(
  run: RunScript,
  keys: Keys,
  topic: string,
  { counts }: Topology,
): Promise<Topology> {
  const regions = Array.from({ length: Math.max(0, ...counts) }, (_, index) => ({ topic, index }));
  const setAll = (paused: boolean): Promise<void[]> =>
    Promise.all(regions.map((region) => pauseRegion(scriptTarget(run, keys, region), paused)));
  await setAll(true);
  const after = await topology(run, keys.topics, topic);
  // Resumed in between: the resume may not have known these regions.
  if (!after.paused) await setAll(false);
  return after;
}
