import type { Codec } from '../codec.js';
import { DelayQueueError } from '../errors.js';
import type { DelayMessage } from '../message.js';
import type { Consuming } from './consuming.js';
import type { AbortCause } from './delivery-aborted.js';
import { DeliveredMessage } from './delivered-message.js';
import type { Delivery } from './delivery.js';
import type { Lease } from './lease.js';
import { LinkedList } from './linked-list.js';
import { clip, MAX_REASON_BYTES, reasonText } from '../reason-text.js';
import type { Settler } from './settler.js';
import { TimeLimit } from './time-limit.js';
import { verdictOf } from './verdict.js';

/** What handles the messages of a topic: returning (or resolving) settles the message, throwing retries it. */
export type Handler = (content: unknown, message: DelayMessage) => unknown;

/** Not a primitive: it may be a promise, or something else with a `then`. */
const isObject = (value: unknown): boolean =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Should the retry policy itself break, the message comes back after this, uncounted. */
const POLICY_BROKEN_MS = 1_000;

/** The handlers that run: calls them and turns what comes of it, or of their time limit, into verdicts. */
export class HandlerRuns {
  /** Deliveries that have ended, for whoever watches progress. */
  ended = 0;
  /** In order of their start. */
  readonly #running = new LinkedList<Delivery>();
  readonly #limit: TimeLimit;

  /** `freed` is told of every slot that became free, after its verdict was taken, and how long it was taken. */
  constructor(
    private readonly handler: Handler,
    private readonly codec: Codec,
    private readonly shared: Consuming,
    private readonly settler: Settler,
    private readonly freed: (tookMs: number) => void,
  ) {
    const { clock, properties, scope } = shared;
    this.#limit = new TimeLimit(clock, scope, properties.timeoutMs, this.#running, (delivery) =>
      this.#timedOut(delivery),
    );
  }

  get size(): number {
    return this.#running.size;
  }

  /** Those a simulated clock still waits for. */
  get lively(): number {
    let count = 0;
    for (let run = this.#running.first; run !== undefined; run = run.next) if (!run.hung) count++;
    return count;
  }

  /** Calls the handler. Content that the codec cannot read is a dead letter without a call. Never throws. */
  start(delivery: Delivery, now: number): void {
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

  /** Tells what runs of a lease that it is over. */
  revoke(lease: Lease): void {
    for (const delivery of lease.deliveries) {
      if (delivery.state === 'running') this.#abort(delivery, 'lease-expired');
    }
  }

  /** Gives up on what still runs: aborts it and gives it back. */
  abandon(): void {
    for (const delivery of this.#running.toArray()) {
      this.#end(delivery);
      this.#abort(delivery, 'draining');
      this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'release', started: true });
    }
  }

  /** Stops waiting for what runs now, on behalf of a simulated clock. */
  markHung(): void {
    for (let run = this.#running.first; run !== undefined; run = run.next) run.hung = true;
  }

  /** Leaves no timer. */
  close(): void {
    this.#limit.close();
  }

  /** Never rejects. Synchronous up to and with the handler's first part. */
  async #run(delivery: Delivery, content: unknown): Promise<void> {
    try {
      const { topic, clock, scope } = this.shared;
      const message = new DeliveredMessage(topic, content, delivery, clock);
      const result = scope.apart(this.handler, content, message);
      if (isObject(result)) await (result as PromiseLike<unknown>);
    } catch (error) {
      return this.#failed(delivery, error);
    }
    if (delivery.state !== 'running') return;
    const tookMs = this.#end(delivery);
    this.settler.add(delivery.lease, { id: delivery.claimed.id, verdict: 'done' });
    this.freed(tookMs);
  }

  #failed(delivery: Delivery, thrown: unknown): void {
    if (delivery.state !== 'running') return;
    const { log, properties } = this.shared;
    const { claimed, lease, since } = delivery;
    const tookMs = this.#end(delivery);
    try {
      const { verdict, reason } = verdictOf(delivery, thrown, properties);
      this.settler.add(lease, verdict);
      if (verdict.verdict === 'dead') log.deadLettered(delivery, since, reason, thrown);
      else if (verdict.failed) log.retrying(delivery, since, reason, thrown, verdict.delayMs);
    } catch (error) {
      log.fault(error);
      this.settler.add(lease, {
        id: claimed.id,
        verdict: 'release',
        started: true,
        delayMs: POLICY_BROKEN_MS,
      });
    }
    this.freed(tookMs);
  }

  #timedOut(delivery: Delivery): void {
    const { timeoutMs } = this.shared.properties;
    this.#abort(delivery, 'timed-out');
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

  /** Apart, because listeners are the handler's own code. */
  #abort(delivery: Delivery, cause: AbortCause): void {
    this.shared.scope.apart(() => delivery.abort(cause));
  }

  /** Returns how long it took. */
  #end(delivery: Delivery): number {
    delivery.state = 'over';
    this.#running.delete(delivery);
    this.ended++;
    this.shared.wake();
    return this.shared.clock.monotonic() - delivery.since;
  }
}
