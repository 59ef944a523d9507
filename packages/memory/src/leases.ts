import type { Entry } from './entry.js';
import { TimingWheel } from './wheel/timing-wheel.js';

/** One claim's hold on its messages. */
export interface Lease {
  readonly token: string;
  /** What it still holds, by id. */
  readonly held: Map<string, Entry>;
  expiresAt: number;
  timer: number;
}

/** The leases of one region, by token and by expiry. */
export class Leases {
  readonly #byToken = new Map<string, Lease>();
  readonly #byExpiry: TimingWheel<Lease>;

  constructor(now: number) {
    this.#byExpiry = new TimingWheel(now);
  }

  get size(): number {
    return this.#byToken.size;
  }

  grant(token: string, expiresAt: number): Lease {
    const lease = { token, held: new Map(), expiresAt, timer: 0 };
    lease.timer = this.#byExpiry.insert(expiresAt, lease);
    this.#byToken.set(token, lease);
    return lease;
  }

  get(token: string): Lease | undefined {
    return this.#byToken.get(token);
  }

  prolong(lease: Lease, expiresAt: number): void {
    this.#byExpiry.remove(lease.timer);
    lease.expiresAt = expiresAt;
    lease.timer = this.#byExpiry.insert(expiresAt, lease);
  }

  end(lease: Lease): void {
    this.#byExpiry.remove(lease.timer);
    this.#byToken.delete(lease.token);
  }

  /** Ends and returns the lease that expired first, if one has expired at `now`. */
  takeExpired(now: number): Lease | undefined {
    const lease = this.#byExpiry.take(now);
    if (lease !== undefined) this.#byToken.delete(lease.token);
    return lease;
  }

  /** When the first lease expires; `Infinity` without leases. */
  nextExpiryAt(): number {
    return this.#byExpiry.nextAt();
  }

  /** All leases, the first to expire first. */
  *inOrder(): Generator<Lease> {
    for (const [lease] of this.#byExpiry.entries()) yield lease;
  }
}
