import type { Claim, ClaimedMessage, ClaimOptions } from '@delay-queue/core';
import type { RegionDriver } from './region-driver.js';
import type { TestClock } from './test-clock.js';

/** A message with the lease that holds it. */
export interface Held {
  readonly lease: string;
  readonly message: ClaimedMessage;
}

/** What looking at a region brought over a while. */
export interface Looked {
  readonly held: readonly Held[];
  readonly recovered: number;
  readonly dead: Claim['dead'];
}

/**
 * Looks at the region as a consumer does, from look-next to look-next, letting time pass, until `enough` says
 * so. Throws when that is not so within `withinMs`: nothing may be stuck for longer.
 */
export async function lookUntil(
  clock: TestClock,
  worker: RegionDriver,
  enough: (looked: Looked) => boolean,
  options: Partial<ClaimOptions> & { readonly withinMs?: number } = {},
): Promise<Looked> {
  const { withinMs = 60_000, ...claimOptions } = options;
  const until = clock.now() + withinMs;
  const held: Held[] = [];
  const dead: { id: string; reason: string }[] = [];
  let recovered = 0;
  for (;;) {
    const claim = await worker.claim(100, claimOptions);
    for (const message of claim.messages) held.push({ lease: claim.lease ?? '', message });
    dead.push(...claim.dead);
    recovered += claim.recovered;
    const looked = { held, recovered, dead };
    if (enough(looked)) return looked;
    const safety = clock.now() + 5_000;
    const next = Math.min(safety, Math.max(claim.lookAt ?? safety, clock.now()));
    if (next > until) {
      throw new Error(
        `not reached within ${withinMs} ms; last look: ${JSON.stringify(claim)}, ${JSON.stringify(looked)}`,
      );
    }
    // A region that asks for a look now gets one; a millisecond passes so that no fault can spin for ever.
    clock.advance(Math.max(claim.messages.length > 0 ? 0 : 1, next - clock.now()));
  }
}

/** Looks until `id` is held again; returns that delivery. */
export async function deliveredAgain(
  clock: TestClock,
  worker: RegionDriver,
  id: string,
  options: Parameters<typeof lookUntil>[3] = {},
): Promise<Held> {
  const of = ({ held }: Looked) => held.find(({ message }) => message.id === id);
  const looked = await lookUntil(clock, worker, (seen) => of(seen) !== undefined, options);
  const found = of(looked);
  if (found === undefined) throw new Error(`${id} was not delivered`);
  return found;
}
