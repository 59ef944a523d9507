import type { ClaimedMessage } from '../engine.js';
import { DeliveryAborted, type AbortCause } from './delivery-aborted.js';
import type { Lease } from './lease.js';
import { ListItem } from './linked-list.js';

/**
 * One claimed message on its way through this process.
 *
 * ```
 * queued ──► running ──► over      over: a verdict stands; whatever the handler does from then on is ignored
 *    └────────────────────►
 * ```
 */
export class Delivery extends ListItem<Delivery> {
  state: 'queued' | 'running' | 'over' = 'queued';
  /** Monotonic: when it was queued, then when its handler was called. */
  since: number;
  /** A simulated clock gave up waiting for it. */
  hung = false;
  #controller: AbortController | undefined;
  #aborted: DeliveryAborted | undefined;

  constructor(
    readonly claimed: ClaimedMessage,
    readonly lease: Lease,
    now: number,
  ) {
    super();
    this.since = now;
  }

  /** Made when it is asked for: most handlers never do, and one costs more than the rest of a delivery. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal; the first cause stands. */
  abort(cause: AbortCause): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = new DeliveryAborted(cause);
    this.#controller?.abort(this.#aborted);
  }
}
