import type { Claim, ClaimedMessage, ClaimOptions } from '@delay-queue/core';
import { dueTime } from './due-time.js';
import { NO_TIMER, type Entry } from './entry.js';
import { recoverExpired, SUSPECT_CRASHES } from './region-recover.js';
import type { RegionState } from './region-state.js';

/** Expired ids forgotten by one claim. */
const TRIMMED_PER_CLAIM = 1000;
/** Workers look for an expired lease within so long after its expiry, not all at once. */
const RECOVERY_JITTER_MS = 500;

/** Claims by the rules of `DelayEngine.claim`. `now` is rounded down; `nextToken` names a lease never used. */
export function claimDue(
  region: RegionState,
  options: ClaimOptions,
  now: number,
  nextToken: () => string,
): Claim {
  region.seen.trim(now, TRIMMED_PER_CLAIM);
  if (region.paused) return { messages: [], unreadable: [], now, paused: true, recovered: 0, dead: [] };
  const expiresAt = dueTime({ delayMs: options.leaseMs }, now);
  const recovered = recoverExpired(region, now, options.maxCrashes);
  const entries = takeDue(region, options.max, now);
  const lease = entries.length === 0 ? undefined : hold(region, entries, expiresAt, nextToken());
  const lookAt = nextLook(region);
  return {
    lease,
    messages: entries.map(claimed),
    unreadable: [],
    now,
    paused: false,
    recovered: recovered.count,
    dead: recovered.dead,
    lookAt: lookAt === Infinity ? undefined : lookAt,
  };
}

/** Takes due messages, the earliest first; a suspect alone. */
function takeDue(region: RegionState, max: number, now: number): Entry[] {
  const entries: Entry[] = [];
  while (entries.length < max) {
    const entry = region.waiting.peek(now);
    if (entry === undefined) break;
    const suspect = entry.crashes >= SUSPECT_CRASHES;
    if (suspect && entries.length > 0) break;
    region.waiting.take(now);
    entry.timer = NO_TIMER;
    entries.push(entry);
    if (suspect) break;
  }
  return entries;
}

function hold(region: RegionState, entries: readonly Entry[], expiresAt: number, token: string): string {
  const lease = region.leases.grant(token, expiresAt);
  for (const entry of entries) {
    entry.lease = lease;
    lease.held.set(entry.id, entry);
  }
  return token;
}

function nextLook(region: RegionState): number {
  const recoverAt = Math.ceil(region.leases.nextExpiryAt() + Math.random() * RECOVERY_JITTER_MS);
  return Math.min(region.waiting.nextAt(), recoverAt);
}

function claimed(entry: Entry): ClaimedMessage {
  return {
    id: entry.id,
    dueAt: entry.dueAt,
    sentAt: entry.sentAt,
    content: entry.content,
    headers: entry.headers,
    deliveries: entry.deliveries,
    failures: entry.failures,
    crashes: entry.crashes,
  };
}
