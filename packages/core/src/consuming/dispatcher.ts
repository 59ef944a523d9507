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
/** So many leases of it were lost: the message may be what its processes die of. */
const SUSPECT_CRASHES = 2;
/** A suspect that finds another one here is offered again after this time, to whoever looks then. */
const NEXT_SUSPECT_MS = 500;

/**
 * The slots of a topic and the short queue before them: never more than `concurrency` handlers at a time, and never
 * two suspects. A suspect may take the process along: another one beside it would come under yet more suspicion,
 * until it is a dead letter for what it only stood beside.
 */
export class Dispatcher {
  readonly #queue = new LocalQueue<Delivery>();
  readonly #pace = new Pace();
  readonly #parked: Alarm;
  /** The last suspect that was taken. */
  #suspect: Delivery | undefined;
  #filling = false;
  /** Monotonic: when the first handler of this turn was started. */
  #sliceAt: number | undefined;
  #stopped = false;

  /** `claiming`: claims are under way, which may bring anything. */
  constructor(
    private readonly shared: Consuming,
    private readonly runs: HandlerRuns,
    private readonly settler: Settler,
    private readonly claiming: () => boolean,
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

  /** A suspect waits for the claims under way: nothing more should be claimed before it has started. */
  get hesitates(): boolean {
    return this.#suspect?.state === 'queued';
  }

  /** Takes what was claimed, to be started by `fill`; after `stop` all of it is given back. */
  accept(lease: Lease, messages: readonly ClaimedMessage[]): void {
    const now = this.shared.clock.monotonic();
    for (const claimed of messages) {
      const delivery = new Delivery(claimed, lease, now);
      lease.deliveries.push(delivery);
      const isSuspect = claimed.crashes >= SUSPECT_CRASHES;
      if (this.#stopped) this.#giveBack(delivery);
      else if (isSuspect && (this.#suspect?.state ?? 'over') !== 'over')
        this.#giveBack(delivery, NEXT_SUSPECT_MS);
      else {
        if (isSuspect) this.#suspect = delivery;
        this.#queue.push(delivery);
      }
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
        if (this.#queue.peek() === this.#suspect && this.claiming()) return;
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

  #giveBack(delivery: Delivery, delayMs?: number): void {
    delivery.state = 'over';
    const { id } = delivery.claimed;
    this.settler.add(delivery.lease, {
      id,
      verdict: 'release',
      started: false,
      ...(delayMs === undefined ? {} : { delayMs }),
    });
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
