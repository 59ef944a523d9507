import { Alarm } from './alarm.js';
import { backOffMs } from '../back-off.js';
import type { Consuming } from './consuming.js';
import type { Lease } from './lease.js';
import type { LinkedList } from './linked-list.js';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/**
 * Keeps leases alive while they have unsettled messages: each is renewed when a third of its time has passed, in
 * one call per region, together with those that would follow soon. Leases that are settled sooner, which is
 * nearly all of them, cost no call.
 */
export class LeaseKeeper {
  readonly #alarm: Alarm;
  readonly #retry: Alarm;
  readonly #failures = new Map<number, number>();
  #closed = false;

  /** `expired`: by our clock its time is up. `lost`: the store says so. Both at most once in a row per lease. */
  constructor(
    private readonly shared: Consuming,
    private readonly leases: LinkedList<Lease>,
    private readonly expired: (lease: Lease) => void,
    private readonly lost: (lease: Lease) => void,
  ) {
    const keep = () => shared.scope.run(() => this.#keep());
    this.#alarm = new Alarm(shared.clock, keep);
    this.#retry = new Alarm(shared.clock, keep, true);
  }

  /** A new lease is among `leases`. */
  added(lease: Lease): void {
    this.#alarm.setNoLaterThan(Math.min(lease.renewAt, lease.expiresAt));
  }

  close(): void {
    this.#closed = true;
    this.#alarm.set(Infinity);
    this.#retry.set(Infinity);
  }

  #keep(): void {
    try {
      this.#expire();
      this.#renew();
    } catch (error) {
      this.shared.log.fault(error);
    }
    this.#arm();
  }

  #expire(): void {
    const now = this.shared.clock.monotonic();
    for (const lease of this.leases.toArray()) {
      if (lease.state !== 'held' || now < lease.expiresAt) continue;
      lease.state = 'expired';
      this.expired(lease);
    }
  }

  #renew(): void {
    const { clock, properties } = this.shared;
    const now = clock.monotonic();
    const soon = now + properties.leaseMs / 12;
    const regions = new Map<number, Lease[]>();
    for (const lease of this.leases.toArray()) {
      if (lease.renewing || lease.state === 'lost' || lease.renewAt > soon) continue;
      if (lease.sending.length === lease.open) {
        // All that is left of it is on its way in a settle: by then the store may rightly not know it any more.
        lease.renewAt = soon;
      } else {
        const group = regions.get(lease.index);
        if (group === undefined) regions.set(lease.index, [lease]);
        else group.push(lease);
      }
    }
    for (const [index, group] of regions) {
      if (group.some((lease) => lease.renewAt <= now)) void this.#renewRegion(index, group, now);
    }
  }

  async #renewRegion(index: number, group: readonly Lease[], askedAt: number): Promise<void> {
    const { engine, topic, properties, log, clock, replies } = this.shared;
    const part = renewing(index);
    for (const lease of group) lease.renewing = true;
    try {
      const tokens = group.map((lease) => lease.token);
      const lost = new Set(await replies.within(engine.renew({ topic, index }, tokens, properties.leaseMs)));
      if (this.#closed) return;
      this.#failures.delete(index);
      log.ok(part);
      for (const lease of group) {
        if (!lost.has(lease.token)) lease.renewed(askedAt, properties.leaseMs);
        else if (lease.state !== 'lost' && this.leases.has(lease)) this.lost(lease);
      }
    } catch (error) {
      if (this.#closed) return;
      const failures = (this.#failures.get(index) ?? 0) + 1;
      this.#failures.set(index, failures);
      const wait = backOffMs(failures, FIRST_RETRY_MS, Math.min(LAST_RETRY_MS, properties.leaseMs / 6));
      for (const lease of group) lease.renewAt = clock.monotonic() + wait;
      log.failed(part, error);
    } finally {
      for (const lease of group) lease.renewing = false;
      if (!this.#closed) this.#arm();
    }
  }

  /** Renewals failed where nothing is left to renew: the store has answered for those leases in another way. */
  #forget(): void {
    if (this.#failures.size === 0) return;
    const kept = new Set<number>();
    for (const { index, state } of this.leases.toArray()) if (state !== 'lost') kept.add(index);
    for (const index of this.#failures.keys()) {
      if (kept.has(index)) continue;
      this.#failures.delete(index);
      this.shared.log.ok(renewing(index));
    }
  }

  #arm(): void {
    this.#forget();
    let due = Infinity;
    let retry = Infinity;
    for (const lease of this.leases.toArray()) {
      if (lease.state === 'lost') continue;
      if (lease.state === 'held') due = Math.min(due, lease.expiresAt);
      if (lease.renewing) continue;
      if (this.#failures.has(lease.index)) retry = Math.min(retry, lease.renewAt);
      else due = Math.min(due, lease.renewAt);
    }
    this.#alarm.set(due);
    this.#retry.set(retry);
  }
}

/** The part that may fail, for the log. */
const renewing = (index: number): string => `/${index}, renewing`;
