import type { ClaimReply } from './scripts/claim.js';
import type { Lease } from './scripts/recover.js';

/** Consumers that wait for one lease to expire spread over so long. */
const SPREAD_MS = 500;

/**
 * When a region is worth another look: its next due time or, a little spread, the expiry of its oldest lease, but
 * for that not before the grace is over. In server time; `undefined`: nothing to wait for.
 */
export function lookAt(
  { now, nextDueAt }: Pick<ClaimReply, 'now' | 'nextDueAt'>,
  oldest: Lease | undefined,
  graceMs: number,
): number | undefined {
  if (oldest === undefined) return nextDueAt;
  const recoverAt =
    oldest.expiresAt <= now && graceMs <= 0
      ? now
      : Math.max(oldest.expiresAt, now + graceMs) + Math.random() * SPREAD_MS;
  return Math.min(nextDueAt ?? Infinity, Math.ceil(recoverAt));
}
