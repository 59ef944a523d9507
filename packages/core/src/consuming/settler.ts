import type { Settled, Verdict } from '../engine.js';
import { DelayQueueError } from '../errors.js';
import { Alarm } from './alarm.js';
import { backOffMs } from '../back-off.js';
import type { Consuming } from './consuming.js';
import type { Lease } from './lease.js';
import type { LinkedList } from './linked-list.js';
import { takeBatch } from './verdict-batch.js';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 2_000;
/** While draining there is not much time left, so failed settles are repeated this soon. */
const HURRY_MS = 100;

/**
 * Tells the store what became of messages: per lease one call at a time, with what has gathered by the end of a
 * turn. What fails is repeated until the store has an answer, be it that the lease is long lost, so no message is
 * run again only because the store was away for a moment.
 */
export class Settler {
  /** Verdicts the store has not acknowledged. */
  unsettled = 0;
  /** Those with verdicts to be sent. */
  #dirty: Lease[] = [];
  readonly #retry: Alarm;
  #longestMs = LAST_RETRY_MS;
  #closed = false;

  /** `leases`: all with unsettled messages. `dueAt` is told when a settle made a message due. */
  constructor(
    private readonly shared: Consuming,
    private readonly leases: LinkedList<Lease>,
    private readonly dueAt: (index: number, at: number) => void,
  ) {
    this.#retry = new Alarm(shared.clock, () => shared.wake(), true);
  }

  /** Takes a verdict; it is sent at the end of the turn. Those of a lost lease are dropped. */
  add(lease: Lease, verdict: Verdict): void {
    if (lease.state === 'lost' || this.#closed) return this.#closeMessages(lease, 1);
    this.unsettled++;
    if (lease.pending.push(verdict) > 1) return;
    this.#mark(lease);
    this.shared.wake();
  }

  /** Nothing waits to be sent or to be answered, but for what failed and is repeated later. */
  get quiet(): boolean {
    if (this.unsettled === 0) return true;
    const now = this.shared.clock.monotonic();
    for (let lease = this.leases.first; lease !== undefined; lease = lease.next) {
      if (lease.sending.length > 0 || (lease.pending.length > 0 && lease.settleAt <= now)) return false;
    }
    return true;
  }

  /** Sends what has gathered. */
  flush(): void {
    if (this.#dirty.length === 0 || this.#closed) return;
    const now = this.shared.clock.monotonic();
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const lease of dirty) {
      lease.dirty = false;
      if (lease.sending.length > 0) {
        this.#mark(lease);
      } else if (lease.settleAt > now) {
        this.#retry.setNoLaterThan(lease.settleAt);
        this.#mark(lease);
      } else if (lease.pending.length > 0) {
        lease.sending = takeBatch(lease.pending);
        if (lease.pending.length > 0) this.#mark(lease);
        void this.#send(lease, lease.sending);
      }
    }
  }

  /** A renewal found the lease lost: what waits to be sent for it is dropped. */
  lose(lease: Lease): void {
    lease.state = 'lost';
    if (lease.settleFailures > 0) this.shared.log.ok(settling(lease));
    this.#drop(lease, lease.pending.splice(0).length);
  }

  /** From now on repeats sooner. */
  hurry(): void {
    this.#longestMs = HURRY_MS;
    this.force();
  }

  /** Repeats at once what waits to be repeated. */
  force(): void {
    for (const lease of this.#dirty) lease.settleAt = 0;
    this.shared.wake();
  }

  /** Sends nothing any more. */
  close(): void {
    this.#closed = true;
    this.#retry.set(Infinity);
  }

  async #send(lease: Lease, batch: readonly Verdict[]): Promise<void> {
    const { topic, engine, properties, log, replies } = this.shared;
    let settled: Settled;
    try {
      const region = { topic, index: lease.index };
      const options = { dedupeMs: properties.dedupeMs, whole: batch.length === lease.open };
      settled = await replies.within(engine.settle(region, lease.token, batch, options));
    } catch (error) {
      lease.sending = [];
      this.#again(lease, batch, error);
      return this.shared.wake();
    }
    lease.sending = [];
    lease.settleFailures = 0;
    log.ok(settling(lease));
    this.#drop(lease, batch.length);
    this.#report(lease, batch, settled);
    if (settled.lookAt !== undefined) this.dueAt(lease.index, settled.lookAt);
    this.shared.wake();
  }

  #again(lease: Lease, batch: readonly Verdict[], error: unknown): void {
    const code = error instanceof DelayQueueError ? error.code : undefined;
    if (this.#closed || code === 'CLOSED' || lease.state === 'lost') {
      this.#drop(lease, batch.length);
      return;
    }
    this.shared.log.failed(settling(lease), error);
    const now = this.shared.clock.monotonic();
    // Anything but a clear "nothing was done" may have been carried out; but when even the failure came after the
    // end of the lease, this process stood still, and most likely came too late.
    const unknown = code !== 'UNAVAILABLE' && code !== 'OUT_OF_MEMORY' && code !== 'READ_ONLY';
    if (unknown && !lease.overAt(now)) lease.doubtful = true;
    lease.pending.unshift(...batch);
    lease.settleFailures++;
    lease.settleAt = now + backOffMs(lease.settleFailures, FIRST_RETRY_MS, this.#longestMs);
    this.#mark(lease);
  }

  #mark(lease: Lease): void {
    if (lease.dirty) return;
    lease.dirty = true;
    this.#dirty.push(lease);
  }

  #report(lease: Lease, batch: readonly Verdict[], { stale, superseded }: Settled): void {
    if (stale.length > 0 && !lease.doubtful) {
      // What was given back without a start needs no word: nothing runs twice because of it.
      const unstarted = new Set<string>();
      for (const verdict of batch) {
        if (verdict.verdict === 'release' && !verdict.started) unstarted.add(verdict.id);
      }
      const lost = stale.filter((id) => !unstarted.has(id));
      if (lost.length > 0) this.shared.log.lostLease(lease, lost);
    }
    if (superseded.length > 0) this.shared.log.superseded(lease.index, superseded);
  }

  #drop(lease: Lease, verdicts: number): void {
    this.unsettled -= verdicts;
    this.#closeMessages(lease, verdicts);
  }

  #closeMessages(lease: Lease, count: number): void {
    lease.open -= count;
    if (lease.open <= 0) this.leases.delete(lease);
  }
}

/** The part that may fail, for the log. */
const settling = ({ index }: Lease): string => `/${index}, settling`;
