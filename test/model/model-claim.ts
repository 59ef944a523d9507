import type { Claim, ClaimOptions } from '@delay-queue/core';
import { isDeepStrictEqual } from 'node:util';
import type { RegionSnapshot } from '../contract/support/snapshot.js';
import type { ModelRegion, Recovery } from './model-region.js';

/** A claim as it was carried out. */
export interface ObservedClaim {
  readonly options: ClaimOptions;
  readonly now: number;
  /** Leases of this worker whose claims it never got an answer to. */
  readonly orphans: readonly string[];
  /** What the engine answered; absent where the answer was lost. */
  readonly claim?: Claim;
  /** Whether the answer to a part of the call may have been lost: then it does not know all that it did. */
  readonly partly: boolean;
  /** The region afterwards. */
  readonly after: RegionSnapshot;
  /** What ended those orphans that are gone: where they had expired, both are possible. */
  readonly orphansWere: 'given back' | 'recovered';
}

/**
 * Carries a claim out on the model. What an engine is free to choose (which of equal due times, whether it
 * recovers in this call or the next, where in its range a suspect comes back) is read from what it did; all of
 * it must lie within the rules. Returns the broken ones.
 */
export function applyClaim(region: ModelRegion, observed: ObservedClaim): readonly string[] {
  const { options, now, claim, after } = observed;
  const broken: string[] = [];
  const demand = (holds: boolean, text: string) => void (holds || broken.push(`claim: ${text}`));

  const { back, dead } = endLeases(region, observed, demand);
  const due = region.due(now);
  const [lease, ...more] = [...after.leases.keys()].filter((token) => !region.leases.has(token));
  demand(more.length === 0, `made ${more.length + 1} leases`);
  const taken = [...after.ids]
    .filter(([, stored]) => lease !== undefined && stored.lease === lease)
    .map(([id]) => id);

  demand(taken.length <= options.max, `took ${taken.length}, asked for ${options.max}`);
  demand(!region.paused || taken.length === 0, `took ${taken.join()} while paused`);
  const latest = Math.max(...taken.map((id) => region.ids.get(id)?.at ?? Infinity));
  for (const id of taken)
    demand(
      due.some(([other]) => other === id),
      `took ${id}, which is not due`,
    );
  const suspects = due.filter(([, { crashes }]) => crashes >= 2).map(([id]) => id);
  demand(
    taken.length < 2 || !taken.some((id) => suspects.includes(id)),
    `took suspects together: ${taken.join()}`,
  );
  for (const [id, { at }] of due) {
    // What came back in this very call may have come after the taking.
    if (back.includes(id)) continue;
    demand(
      taken.includes(id) || taken.length === 0 || at >= latest,
      `left ${id}, due ${latest - at} ms earlier`,
    );
  }
  if (!region.paused && back.length === 0 && suspects.length === 0) {
    const expected = Math.min(options.max, due.length);
    if (claim !== undefined) demand(taken.length === expected, `took ${taken.length} of ${due.length} due`);
  }

  if (claim !== undefined) checkAnswer(region, observed, claim, { taken, back, dead, lease }, demand);
  if (lease !== undefined) {
    region.leases.set(lease, now + options.leaseMs);
    for (const id of taken) {
      const found = region.ids.get(id);
      if (found !== undefined) region.ids.set(id, { ...found, state: 'running', at: 0, lease });
    }
  }
  if (claim !== undefined) checkLookAt(region, claim, now, demand);
  return broken;
}

type Demand = (holds: boolean, text: string) => void;

interface Outcome {
  readonly taken: readonly string[];
  readonly back: readonly string[];
  readonly dead: readonly string[];
  readonly lease: string | undefined;
}

/** Recovers and gives back the leases that the engine ended. */
function endLeases(region: ModelRegion, observed: ObservedClaim, demand: Demand): Recovery {
  const { options, now, orphans, orphansWere, after } = observed;
  const all: Recovery = { back: [], dead: [] };
  for (const [lease, expiry] of [...region.leases]) {
    if (after.leases.has(lease)) continue;
    if (orphans.includes(lease) && orphansWere === 'given back') {
      region.giveBack(lease);
      continue;
    }
    demand(expiry <= now, `ended lease ${lease}, which has ${expiry - now} ms left`);
    const { back, dead } = region.recover(lease, now, options.maxCrashes, (id, from, to) => {
      const stored = after.ids.get(id);
      if (stored?.state !== 'waiting') return now;
      demand(stored.at >= from && stored.at <= to, `brings ${id} back after ${stored.at - now} ms`);
      return stored.at;
    });
    all.back.push(...back);
    all.dead.push(...dead);
  }
  return all;
}

function checkAnswer(
  region: ModelRegion,
  { now, partly }: ObservedClaim,
  claim: Claim,
  { taken, back, dead, lease }: Outcome,
  demand: Demand,
): void {
  demand(claim.now === now, `says it is ${claim.now - now} ms later`);
  demand(claim.paused === region.paused, `says paused: ${claim.paused}`);
  demand(claim.lease === lease, `says lease ${claim.lease}, made ${lease}`);
  demand(
    partly || claim.recovered === back.length,
    `says it recovered ${claim.recovered}, did ${back.length}`,
  );
  demand(
    partly || isDeepStrictEqual(claim.dead.map(({ id }) => id).sort(), [...dead].sort()),
    `says dead: ${JSON.stringify(claim.dead)}`,
  );
  demand(claim.unreadable.length === 0, `cannot read ${claim.unreadable.join()}`);
  const told = claim.messages.map(({ id }) => id);
  demand(isDeepStrictEqual([...told].sort(), [...taken].sort()), `says ${told.join()}, took ${taken.join()}`);
  let before = -Infinity;
  for (const { id, headers, ...message } of claim.messages) {
    const found = region.ids.get(id);
    if (found === undefined) continue;
    const { version, deliveries, failures, crashes, at } = found;
    const { headers: ownHeaders, ...own } = version;
    const expected = { ...own, deliveries, failures, crashes };
    demand(
      isDeepStrictEqual({ ...message }, expected),
      `says ${id} is ${JSON.stringify(message)}, not ${JSON.stringify(expected)}`,
    );
    demand(isDeepStrictEqual({ ...headers }, ownHeaders), `says ${id} has other headers`);
    demand(at >= before, `hands ${id} out behind a later one`);
    before = at;
  }
}

/** Never later than the next due time; and not for nothing. */
function checkLookAt(region: ModelRegion, claim: Claim, now: number, demand: Demand): void {
  const { lookAt } = claim;
  if (region.paused) return demand(lookAt === undefined, 'asks for a look while paused');
  const next = region.earliest();
  const expiry = Math.min(...region.leases.values());
  if (next < Infinity)
    demand(lookAt !== undefined && lookAt <= Math.max(next, now), `looks ${lookAt}, next is due ${next}`);
  if (lookAt === undefined) return;
  demand(
    lookAt <= now || lookAt >= Math.min(next, expiry),
    `looks ${Math.min(next, expiry) - lookAt} ms too early`,
  );
}
