import type { Claim } from '../engine.js';
import { backOffMs } from '../back-off.js';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;
const LONGEST_EMPTY_MS = 32;

/** When one region is worth a look. All times are monotonic. */
export class RegionLook {
  /** The store has, or may have, something due from then on. */
  at = -Infinity;
  /** No look before, whatever `at` says: the last one failed, or found nothing although something was due. */
  notBefore = -Infinity;
  /** A claim is under way. */
  claiming = false;
  paused = false;
  /** The last claim left more that is due. */
  brisk = false;
  #failures = 0;
  #empties = 0;
  /** The earliest hint since the claim under way was sent: its answer may not know of it. */
  #hinted = Infinity;

  constructor(readonly index: number) {}

  /** Something is due at `at`. */
  hint(at: number): void {
    this.at = Math.min(this.at, at);
    if (this.claiming) this.#hinted = Math.min(this.#hinted, at);
  }

  /** A look is wanted, whatever is known. */
  force(): void {
    this.hint(-Infinity);
    this.notBefore = -Infinity;
  }

  /** Ready for a claim. */
  dueAt(now: number): boolean {
    return !this.claiming && this.at <= now && this.notBefore <= now;
  }

  /** A claim of at most `max` is sent. */
  asked(): void {
    this.claiming = true;
    this.#hinted = Infinity;
  }

  /** It was answered. Returns whether it had failed before. */
  answered(claim: Claim, max: number, now: number): boolean {
    const recovering = this.#failures > 0;
    const found = claim.messages.length + claim.unreadable.length;
    this.claiming = false;
    this.paused = claim.paused;
    this.#failures = 0;
    this.notBefore = -Infinity;
    let lookAt = claim.lookAt === undefined ? Infinity : now + (claim.lookAt - claim.now);
    if (found >= max) lookAt = -Infinity;
    this.brisk = found > 0 && lookAt <= now;
    this.at = Math.min(lookAt, this.#hinted);
    if (found > 0 || claim.recovered > 0 || claim.dead.length > 0 || lookAt > now) {
      this.#empties = 0;
    } else {
      this.#empties++;
      this.notBefore = now + Math.min(2 ** this.#empties, LONGEST_EMPTY_MS);
    }
    return recovering;
  }

  /** It failed. */
  failed(now: number): void {
    this.claiming = false;
    this.#failures++;
    this.notBefore = now + backOffMs(this.#failures, FIRST_RETRY_MS, LAST_RETRY_MS);
  }
}
