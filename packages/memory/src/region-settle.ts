import type { Settled, Verdict } from '@delay-queue/core';
import { dueTime } from './due-time.js';
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
    // First of all, because it refuses what is no number.
    const until = dueTime({ delayMs: delayOf(verdict, dedupeMs) }, now);
    lease?.held.delete(verdict.id);
    entry.lease = undefined;
    if (region.promote(entry) !== undefined) {
      filed = true;
      if (verdict.verdict !== 'done') superseded.push(verdict.id);
    } else if (apply(region, entry, verdict, now, until)) {
      filed = true;
    }
  }
  if (lease?.held.size === 0) region.leases.end(lease);
  region.seen.trim(now, 2 * verdicts.length);
  return { stale, superseded, lookAt: filed ? region.waiting.nextAt() : undefined };
}

/** How long what a verdict asks for is off: the next delivery, or the end of the id's refusal. */
function delayOf(verdict: Verdict, dedupeMs: number): number {
  if (verdict.verdict === 'done') return dedupeMs;
  return verdict.verdict === 'dead' ? 0 : (verdict.delayMs ?? 0);
}

/** Carries out one verdict; returns whether it made the message wait again. */
function apply(region: RegionState, entry: Entry, verdict: Verdict, now: number, until: number): boolean {
  switch (verdict.verdict) {
    case 'done':
      region.removeRan(entry);
      if (until > now) region.seen.add(entry.id, until);
      return false;
    case 'dead':
      countDelivery(entry, verdict.failed);
      region.bury(entry, verdict.reason, now);
      return false;
    case 'retry':
      countDelivery(entry, verdict.failed);
      entry.dueAt = until;
      region.wait(entry, until);
      return true;
    case 'release':
      if (verdict.started) countDelivery(entry, false);
      region.wait(entry, verdict.delayMs === undefined ? entry.dueAt : until);
      return true;
  }
}

function countDelivery(entry: Entry, failed: boolean): void {
  entry.deliveries++;
  if (failed) entry.failures++;
}
