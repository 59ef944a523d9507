import type { Clock } from '../clock.js';
import { Alarm } from './alarm.js';
import type { AsyncScope } from '../async-scope.js';
import type { Delivery } from './delivery.js';
import type { LinkedList } from './linked-list.js';

/**
 * The time limit of handlers: one timer for the one that started first, as all have the same limit. It is not
 * disarmed when that one ends, which nearly always happens in time; it just finds nothing to do then.
 */
export class TimeLimit {
  readonly #alarm: Alarm;

  /** `running`: in order of start. `passed` must take the delivery out of it. */
  constructor(
    private readonly clock: Clock,
    scope: AsyncScope,
    private readonly limitMs: number,
    private readonly running: LinkedList<Delivery>,
    private readonly passed: (delivery: Delivery) => void,
  ) {
    this.#alarm = new Alarm(clock, () => scope.run(() => this.#sweep()));
  }

  /** A handler was started at `now` (monotonic). */
  started(now: number): void {
    this.#alarm.setNoLaterThan(now + this.limitMs);
  }

  close(): void {
    this.#alarm.set(Infinity);
  }

  #sweep(): void {
    const now = this.clock.monotonic();
    for (let delivery = this.running.first; delivery !== undefined; delivery = this.running.first) {
      if (now - delivery.since < this.limitMs) {
        this.#alarm.setNoLaterThan(delivery.since + this.limitMs);
        return;
      }
      this.passed(delivery);
    }
  }
}
