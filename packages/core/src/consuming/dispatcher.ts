import type { Codec } from '../codec.js';
import type { ClaimedMessage } from '../engine.js';
import { DelayQueueError } from '../errors.js';
import type { DelayMessage } from '../message.js';
import { Alarm } from './alarm.js';
import type { Consuming } from './consuming.js';
import { DeliveredMessage } from './delivered-message.js';
import { Delivery } from './delivery.js';
import type { Lease } from './lease.js';
import { LocalQueue } from './local-queue.js';
import { Pace } from './pace.js';
import { clip, MAX_REASON_BYTES, reasonText } from './reason-text.js';
import type { Settler } from './settler.js';
import { TimeLimit } from './time-limit.js';
import { verdictOf } from './verdict.js';

/** What handles the messages of a topic: returning (or resolving) settles the message, throwing retries it. */
export type Handler = (content: unknown, message: DelayMessage) => unknown;

/** What has waited this long for a slot is given back: handlers turned out slower than expected. */
const PARKED_MS = 1_000;

/**
 * The slots of a topic and the short queue before them: calls the handler, never more than `concurrency` at a
 * time, and turns what comes of it into verdicts.
 */
export class Dispatcher {
  /** Deliveries that have ended, for whoever watches progress. */
  ended = 0;
  readonly #queue = new LocalQueue<Delivery>();
  /** In order of their start. */
  readonly #running = new Set<Delivery>();
  readonly #pace = new Pace();
  readonly #limit: TimeLimit;
  readonly #parked: Alarm;
  #filling = false;
  #stopped = false;

  constructor(
    private readonly handler: Handler,
    private readonly codec: Codec,
    private readonly shared: Consuming,
    private readonly settler: Settler,
  ) {
    const { clock, properties, scope } = shared;
    this.#limit = new TimeLimit(clock, scope, properties.timeoutMs, this.#running, (delivery) =>
      this.#timedOut(delivery),
    );
    this.#parked = new Alarm(clock, () => scope.run(() => this.#giveBackParked()));
  }

  get running(): number {
    return this.#running.size;
  }

  /** Those a simulated clock still waits for. */
  get lively(): number {
    let count = 0;
    for (const delivery of this.#running) if (!delivery.hung) count++;
    return count;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** How many messages beyond the slots may be held. */
  get room(): number {
    const { concurrency, queueSize } = this.shared.properties;
    return this.#pace.room(concurrency, queueSize);
  }

  /** Takes what was claimed and starts what has a slot; after `stop` all of it is given back. */
  accept(lease: Lease, messages: readonly ClaimedMessage[]): void {
    const now = this.shared.clock.monotonic();
    for (const claimed of messages) {
      const delivery = new Delivery(claimed, lease, now);
      lease.deliveries.push(delivery);
      if (this.#stopped) this.#giveBack(delivery);
      else this.#queue.push(delivery);
    }
    this.fill();
    if (this.#queue.length > 0) this.#parked.setNoLaterThan(now + PARKED_MS);
  }

  /** Starts handlers while there are slots and messages. */
  fill(): void {
    if (this.#filling) return;
    this.#filling = true;
    try {
      while (this.#running.size < this.shared.properties.concurrency) {
        const delivery = this.#queue.shift();
        if (delivery === undefined) break;
        this.#start(delivery);
      }
    } finally {
      this.#filling = false;
    }
  }

  /** Gives back what has not started, of one lease or of all. */
  release(lease?: Lease): void {
    const waiting = this.#queue.takeWhere((delivery) => lease === undefined || delivery.lease === lease);
    for (const delivery of waiting) this.#giveBack(delivery);
  }

  /** Starts nothing any more and gives back what has not started. */
  stop(): void {
    this.#stopped = true;
    this.release();
  }

  /** Gives up on what still runs: aborts it and gives it back. */
  abandon(): void {
    for (const delivery of this.#running) {
      this.#end(delivery);
      delivery.abort('draining');
      const { lease, claimed } = delivery;
      this.settler.add(lease, { id: claimed.id, verdict: 'release', started: true });
    }
  }

  /** Stops waiting for what runs now, on behalf of a simulated clock. */
  markHung(): void {
    for (const delivery of this.#running) delivery.hung = true;
  }

  /** Leaves no timers. */
  close(): void {
    this.#limit.close();
    this.#parked.set(Infinity);
  }

  #start(delivery: Delivery): void {
    const now = this.shared.clock.monotonic();
    if (delivery.lease.overAt(now)) return this.#giveBack(delivery);
    let content: unknown;
    try {
      content = this.codec.decode(delivery.claimed.content);
    } catch (error) {
      return this.#undecodable(delivery, now, error);
    }
    delivery.state = 'running';
    delivery.since = now;
    this.#running.add(delivery);
    this.#limit.started(now);
    void this.#run(delivery, content);
  }

  async #run(delivery: Delivery, content: unknown): Promise<void> {
    try {
      const message = new DeliveredMessage(this.shared.topic, content, delivery);
      const result = this.shared.scope.apart(this.handler, content, message);
      if ((typeof result === 'object' && result !== null) || typeof result === 'function') await result;
    } catch (error) {
      return this.#failed(delivery, error);
    }
    if (delivery.state !== 'running') return;
    this.#end(delivery);
    this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'done' });
    this.fill();
  }

  #failed(delivery: Delivery, thrown: unknown): void {
    if (delivery.state !== 'running') return;
    const { log, properties } = this.shared;
    const { since } = delivery;
    this.#end(delivery);
    try {
      const { verdict, reason } = verdictOf(delivery, thrown, properties);
      this.settler.add(delivery.lease, verdict);
      if (verdict.verdict === 'dead') log.deadLettered(delivery, since, reason, thrown);
      else log.retrying(delivery, since, reason, thrown, verdict.delayMs);
    } catch (error) {
      log.fault(error);
      this.settler.add(delivery.lease, {
        id: delivery.claimed.id,
        verdict: 'release',
        started: true,
        delayMs: PARKED_MS,
      });
    }
    this.fill();
  }

  #timedOut(delivery: Delivery): void {
    const { timeoutMs } = this.shared.properties;
    delivery.abort('timed-out');
    this.#failed(
      delivery,
      new DelayQueueError('TIMEOUT', `the handler did not end within its timeout of ${timeoutMs} ms`),
    );
  }

  #undecodable(delivery: Delivery, now: number, error: unknown): void {
    delivery.state = 'over';
    this.ended++;
    const reason = clip(`unreadable content: ${reasonText(error)}`, MAX_REASON_BYTES);
    this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'dead', reason, failed: false });
    this.shared.log.deadLettered(delivery, now, reason);
  }

  #giveBack(delivery: Delivery): void {
    delivery.state = 'over';
    this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'release', started: false });
  }

  #giveBackParked(): void {
    const now = this.shared.clock.monotonic();
    const head = this.#queue.peek();
    if (head === undefined) return;
    if (now - head.since >= PARKED_MS) {
      this.#pace.atLeast(PARKED_MS);
      const parked = this.#queue.takeWhere((delivery) => now - delivery.since >= PARKED_MS);
      for (const delivery of parked) this.#giveBack(delivery);
    }
    const next = this.#queue.peek();
    if (next !== undefined) this.#parked.setNoLaterThan(next.since + PARKED_MS);
  }

  #end(delivery: Delivery): void {
    delivery.state = 'over';
    this.#running.delete(delivery);
    this.ended++;
    this.#pace.observe(this.shared.clock.monotonic() - delivery.since);
    this.shared.wake();
  }
}
