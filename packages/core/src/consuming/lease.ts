import type { Verdict } from '../engine.js';
import type { Delivery } from './delivery.js';
import { ListItem } from './linked-list.js';

/**
 * One claim's hold on its messages.
 *
 * ```
 * held ──► expired   its time ran out by our clock: nothing of it starts any more, signals are aborted;
 *   │        │       a renewal that still finds it held makes its verdicts count, so they are still sent
 *   └────────┴──► lost   the store has said so: its verdicts cannot matter any more
 * ```
 */
export class Lease extends ListItem<Lease> {
  state: 'held' | 'expired' | 'lost' = 'held';
  /** What was claimed and is tracked here; those `over` are left in, they are few and soon gone with the lease. */
  readonly deliveries: Delivery[] = [];
  /** Messages of it the store has not yet acknowledged a verdict for. */
  open: number;
  /** Verdicts that wait to be sent. */
  pending: Verdict[] = [];
  /** Verdicts on their way, none while no settle is under way. */
  sending: readonly Verdict[] = [];
  /** Settles in a row that failed. */
  settleFailures = 0;
  /** Monotonic: not before this another settle. */
  settleAt = 0;
  /** A settle may have been carried out although it failed: what is stale afterwards is no lost lease. */
  doubtful = false;
  /** The log has said that this lease was lost. */
  reported = false;
  /** Monotonic: the store may give its messages to others from then on. */
  expiresAt: number;
  /** Monotonic: when it is to be renewed. */
  renewAt: number;
  /** The settler has it on its list. */
  dirty = false;
  /** A renewal is under way. */
  renewing = false;

  /** `askedAt`: monotonic time before the claim was sent, so that it ends here before it ends in the store. */
  constructor(
    readonly token: string,
    readonly index: number,
    size: number,
    askedAt: number,
    leaseMs: number,
    /** The store's now that came with the claim, and the monotonic time at which it came. */
    readonly claimedAt: number,
    readonly repliedAt: number,
  ) {
    super();
    this.open = size;
    this.expiresAt = askedAt + leaseMs;
    this.renewAt = askedAt + leaseMs / 3;
  }

  /** Prolonged by a renewal that was sent at `askedAt`. */
  renewed(askedAt: number, leaseMs: number): void {
    this.expiresAt = askedAt + leaseMs;
    this.renewAt = askedAt + leaseMs / 3;
    if (this.state === 'expired') this.state = 'held';
  }

  /** Nothing of it may start: it is lost, or its time has run out. */
  overAt(now: number): boolean {
    return this.state !== 'held' || now >= this.expiresAt;
  }

  /** How late a delivery is when its handler starts at `now` (monotonic). */
  latenessAt(now: number, dueAt: number): number {
    return this.claimedAt + (now - this.repliedAt) - dueAt;
  }
}
