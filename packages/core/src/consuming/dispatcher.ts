import type { ClaimedMessage } from '../engine.js';
import { Alarm } from './alarm.js';
import type { Consuming } from './consuming.js';
import { Delivery } from './delivery.js';
import type { HandlerRuns } from './handler-runs.js';
import type { Lease } from './lease.js';
import { LocalQueue } from './local-queue.js';
import { Pace } from './pace.js';
import type { Settler } from './settler.js';

/** What has waited this long for a slot is given back: handlers turned out slower than expected. */
const PARKED_MS = 1_000;
/** After so long in one go, handlers that compute let the event loop have a turn. */
const SLICE_MS = 20;

/** The slots of a topic and the short queue before them: never more than `concurrency` handlers at a time. */
export class Dispatcher {
  readonly #queue = new LocalQueue<Delivery>();
  readonly #pace = new Pace();
  readonly #parked: Alarm;
  #filling = false;
  /** Monotonic: when the first handler of this turn was started. */
  #sliceAt: number | undefined;
  #stopped = false;

  constructor(
    private readonly shared: Consuming,
    private readonly runs: HandlerRuns,
    private readonly settler: Settler,
  ) {
    this.#parked = new Alarm(shared.clock, () => shared.scope.run(() => this.#giveBackParked()));
  }

  /** Running and queued messages. */
  get held(): number {
    return this.runs.size + this.#queue.length;
  }

  /** How many messages beyond the slots may be held. */
  get room(): number {
    const { concurrency, queueSize } = this.shared.properties;
    return this.#pace.room(concurrency, queueSize);
  }

  /** Takes what was claimed, to be started by `fill`; after `stop` all of it is given back. */
  accept(lease: Lease, messages: readonly ClaimedMessage[]): void {
    const now = this.shared.clock.monotonic();
    for (const claimed of messages) {
      const delivery = new Delivery(claimed, lease, now);
      lease.deliveries.push(delivery);
      if (this.#stopped) this.#giveBack(delivery);
      else this.#queue.push(delivery);
    }
    if (this.#queue.length > 0) this.#parked.setNoLaterThan(now + PARKED_MS);
  }

  /** Starts what has a slot. */
  fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    try {
      while (this.runs.size < this.shared.properties.concurrency && this.#queue.length > 0) {
        const now = this.shared.clock.monotonic();
        this.#sliceAt ??= now;
        if (now - this.#sliceAt > SLICE_MS) return this.shared.wake();
        const delivery = this.#queue.shift();
        if (delivery === undefined) return;
        if (delivery.lease.overAt(now)) this.#giveBack(delivery);
        else this.runs.start(delivery, now);
      }
    } finally {
      this.#filling = false;
    }
  }

  /** A handler has ended after `tookMs`. */
  freed(tookMs: number): void {
    this.#pace.observe(tookMs);
    this.fill();
  }

  /** A new turn of the event loop. */
  turn(): void {
    this.#sliceAt = undefined;
    this.fill();
  }

  /** Gives back what has not started, of one lease or of all. */
  release(lease?: Lease): void {
    this.#giveBackWhere((delivery) => lease === undefined || delivery.lease === lease);
  }

  /** Starts nothing any more and gives back what has not started. */
  stop(): void {
    this.#stopped = true;
    this.release();
  }

  /** Leaves no timer. */
  close(): void {
    this.#parked.set(Infinity);
  }

  #giveBack(delivery: Delivery): void {
    delivery.state = 'over';
    this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'release', started: false });
  }

  #giveBackWhere(test: (delivery: Delivery) => boolean): void {
    for (const delivery of this.#queue.takeWhere(test)) this.#giveBack(delivery);
  }

  #giveBackParked(): void {
    const now = this.shared.clock.monotonic();
    const parked = (delivery: Delivery) => now - delivery.since >= PARKED_MS;
    const head = this.#queue.peek();
    if (head !== undefined && parked(head)) {
      this.#pace.forget();
      this.#giveBackWhere(parked);
    }
    const next = this.#queue.peek();
    if (next !== undefined) this.#parked.setNoLaterThan(next.since + PARKED_MS);
  }
}
