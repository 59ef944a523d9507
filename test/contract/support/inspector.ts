import type { DelayEngine, EngineInspector, StoredMessage } from '@delay-queue/core';
import type { RegionDriver } from './region-driver.js';

/** The inspector, which engines of these suites have. */
export function inspectorOf({ inspector }: DelayEngine): EngineInspector {
  if (inspector === undefined) throw new Error('this engine has no inspector');
  return inspector;
}

/** Finds an id; the epoch must not be an old one. */
export async function find(worker: RegionDriver, id: string): Promise<StoredMessage | undefined> {
  const found = await inspectorOf(worker.engine).find(worker.region, id, { epoch: worker.epoch });
  if (found === 'moved') throw new Error(`the region has seen a newer epoch than ${worker.epoch}`);
  return found;
}
