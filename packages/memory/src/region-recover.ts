import type { Entry } from './entry.js';
import type { RegionState } from './region-state.js';

/** Messages with so many lost leases are spread, and claimed one to a claim. */
export const SUSPECT_CRASHES = 2;
/** A suspect comes back within so long times its crashes, so that those of one crash part. */
const SPREAD_MS = 2000;

/** What a recovery did. */
export interface Recovered {
  /** Messages that wait again, followers included; those in `dead` do not. */
  count: number;
  readonly dead: { readonly id: string; readonly reason: string }[];
}

/**
 * Gives back what expired leases held: due again now, from the second crash on at a random time soon; a
 * message whose lease was lost more often than `maxCrashes` times becomes a dead letter. So a message that
 * kills its process ends alone, and its neighbours run on.
 */
export function recoverExpired(region: RegionState, now: number, maxCrashes: number): Recovered {
  const recovered: Recovered = { count: 0, dead: [] };
  for (
    let lease = region.leases.takeExpired(now);
    lease !== undefined;
    lease = region.leases.takeExpired(now)
  ) {
    for (const entry of lease.held.values()) giveBack(region, entry, now, maxCrashes, recovered);
  }
  return recovered;
}

function giveBack(
  region: RegionState,
  entry: Entry,
  now: number,
  maxCrashes: number,
  recovered: Recovered,
): void {
  entry.lease = undefined;
  if (region.promote(entry) !== undefined) {
    recovered.count++;
    return;
  }
  entry.deliveries++;
  entry.crashes++;
  if (entry.crashes > maxCrashes) {
    const reason = `crashed: ${entry.crashes} deliveries ended in a lost lease (retry.crashes is ${maxCrashes})`;
    region.bury(entry, reason, now);
    recovered.dead.push({ id: entry.id, reason });
    return;
  }
  const spread = entry.crashes < SUSPECT_CRASHES ? 0 : Math.random() * SPREAD_MS * entry.crashes;
  region.wait(entry, Math.ceil(now + spread));
  recovered.count++;
}
