import type { Settled, Verdict } from '@delay-queue/core';
import type { Entry } from './entry.js';
import type { RegionState } from './region-state.js';

/** Settles by the rules of `DelayEngine.settle`. `now` is rounded up. */
export function settleVerdicts(
  region: RegionState,
  token: string,
  verdicts: readonly Verdict[],
  now: number,
  dedupeMs: number,
): Settled {
  const lease = region.leases.get(token);
  const stale: string[] = [];
  const superseded: string[] = [];
  let filed = false;
  for (const verdict of verdicts) {
    const entry = lease?.held.get(verdict.id);
    if (entry === undefined) {
      stale.push(verdict.id);
      continue;
    }
    lease?.held.delete(verdict.id);
    entry.lease = undefined;
    if (region.promote(entry) !== undefined) {
      filed = true;
      if (verdict.verdict !== 'done') superseded.push(verdict.id);
    } else if (apply(region, entry, verdict, now, dedupeMs)) {
      filed = true;
    }
  }
  if (lease?.held.size === 0) region.leases.end(lease);
  region.seen.trim(now, 2 * verdicts.length);
  return { stale, superseded, ...(filed ? { lookAt: region.waiting.nextAt() } : undefined) };
}

/** Carries out one verdict; returns whether it made the message wait again. */
function apply(region: RegionState, entry: Entry, verdict: Verdict, now: number, dedupeMs: number): boolean {
  switch (verdict.verdict) {
    case 'done':
      region.removeRan(entry);
      if (dedupeMs > 0) region.seen.add(entry.id, Math.ceil(now + dedupeMs));
      return false;
    case 'dead':
      countDelivery(entry, verdict.failed);
      region.bury(entry, verdict.reason, now);
      return false;
    case 'retry':
      countDelivery(entry, verdict.failed);
      entry.dueAt = Math.ceil(now + verdict.delayMs);
      region.wait(entry, entry.dueAt);
      return true;
    case 'release':
      if (verdict.started) countDelivery(entry, false);
      region.wait(entry, verdict.delayMs === undefined ? entry.dueAt : Math.ceil(now + verdict.delayMs));
      return true;
  }
}

function countDelivery(entry: Entry, failed: boolean): void {
  entry.deliveries++;
  if (failed) entry.failures++;
}
