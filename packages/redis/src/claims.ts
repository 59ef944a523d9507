import { DelayQueueError, type Claim, type ClaimOptions, type Region } from '@delay-queue/core';
import { randomBytes } from 'node:crypto';
import type { Connection } from './connections/connection.js';
import { lookAt } from './look-at.js';
import type { LostClaims } from './lost-claims.js';
import type { ScriptTarget } from './script-runner.js';
import { claim, type ClaimReply } from './scripts/claim.js';
import { recover, type Lease, type RecoverReply } from './scripts/recover.js';

/** The share of a lease for which contact must have lasted before others' leases are recovered. */
const RECOVER_AFTER = 0.75;

/** Expired leases that one claim recovers at most. */
const MOST_RECOVERIES = 32;

/** Makes the claims of one worker, and recovers what dead workers held. */
export class Claims {
  readonly #worker = randomBytes(9).toString('base64url');
  readonly #lost: LostClaims;
  #count = 0;

  constructor(lost: LostClaims) {
    this.#lost = lost;
  }

  /**
   * Takes due messages. Expired leases are given back on the way, but only after three quarters of a lease of
   * unbroken contact: after an outage every worker that lives renews first, so nobody takes what it still runs.
   */
  async claim(
    region: Region,
    target: ScriptTarget,
    connection: Connection,
    options: ClaimOptions,
  ): Promise<Claim> {
    const first = await this.#take(region, target, options);
    connection.answered(target.keys.due);
    if (first.paused) return toClaim(first);
    const graceMs = Math.max(0, options.leaseMs * RECOVER_AFTER - connection.contactMs(target.keys.due));
    const expired = first.oldestLease;
    if (expired === undefined || expired.expiresAt > first.now || graceMs > 0) {
      return toClaim(first, { lookAt: lookAt(first, expired, graceMs) });
    }
    const recovery = await recoverExpired(target, expired, first, options.maxCrashes);
    // What was given back is due at once: worth another claim, now if this one came out empty, else soon.
    const dead = [...lostContent(first), ...recovery.dead];
    if (first.lease !== undefined || recovery.recovered === 0) {
      const soon = recovery.recovered > 0 ? first.now : lookAt(first, recovery.oldestLease, graceMs);
      return toClaim(first, { lookAt: soon, recovered: recovery.recovered, dead });
    }
    const second = await this.#take(region, target, options);
    return toClaim(second, {
      lookAt: lookAt(second, second.oldestLease, graceMs),
      recovered: recovery.recovered,
      dead: [...dead, ...lostContent(second)],
    });
  }

  async #take(region: Region, target: ScriptTarget, { max, leaseMs }: ClaimOptions): Promise<ClaimReply> {
    const token = `${this.#worker}.${(this.#count++).toString(36)}`;
    try {
      return await claim(target, token, max, leaseMs);
    } catch (error) {
      if (error instanceof DelayQueueError && error.mayBeStored) this.#lost.add(region, token);
      throw error;
    }
  }
}

/** Recovers one expired lease after the other. With messages already in hand a failure only ends it. */
async function recoverExpired(
  target: ScriptTarget,
  expired: Lease,
  { now, lease }: ClaimReply,
  maxCrashes: number,
): Promise<RecoverReply> {
  let recovered = 0;
  let oldest: Lease | undefined = expired;
  const dead: DeadLetters[number][] = [];
  try {
    for (let i = 0; i < MOST_RECOVERIES && oldest !== undefined && oldest.expiresAt <= now; i++) {
      const reply: RecoverReply = await recover(target, oldest.token, maxCrashes);
      recovered += reply.recovered;
      dead.push(...reply.dead);
      oldest = reply.oldestLease;
    }
  } catch (error) {
    if (lease === undefined && recovered === 0 && dead.length === 0) throw error;
  }
  return { recovered, dead, ...(oldest === undefined ? {} : { oldestLease: oldest }) };
}

type DeadLetters = Claim['dead'];

const lostContent = (reply: ClaimReply): DeadLetters =>
  reply.lost.map((id) => ({ id, reason: 'lost content' }));

function toClaim(
  reply: ClaimReply,
  extra: { lookAt?: number | undefined; recovered?: number; dead?: DeadLetters } = {},
): Claim {
  const { lease, messages, unreadable, now, paused } = reply;
  return {
    lease,
    messages,
    unreadable,
    now,
    lookAt: extra.lookAt,
    paused,
    recovered: extra.recovered ?? 0,
    dead: extra.dead ?? lostContent(reply),
  };
}
