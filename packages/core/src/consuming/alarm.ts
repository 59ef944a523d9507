import type { Clock, Timer } from '../clock.js';

/**
 * One timer that is moved instead of many that are armed. It fires at a monotonic time or later, never before:
 * a timer that comes early (Node's may by a millisecond, and those beyond 2^31 ms do) is armed again.
 */
export class Alarm {
  #timer: Timer | undefined;
  #at = Infinity;

  /** `idle`: see `TimerOptions`. `fire` must not throw. */
  constructor(
    private readonly clock: Clock,
    private readonly fire: () => void,
    private readonly idle = false,
  ) {}

  /** Fires at `at` (monotonic; in the past: as soon as possible) and at no other time; `Infinity` disarms. */
  set(at: number): void {
    if (at === this.#at) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#at = at;
    if (at !== Infinity) this.#arm();
  }

  /** Fires at `at`, unless it is going to fire earlier. */
  setNoLaterThan(at: number): void {
    if (at < this.#at) this.set(at);
  }

  #arm(): void {
    const wait = Math.max(0, Math.ceil(this.#at - this.clock.monotonic()));
    this.#timer = this.clock.setTimer(() => this.#ring(), wait, { idle: this.idle });
  }

  #ring(): void {
    if (this.clock.monotonic() < this.#at) return this.#arm();
    this.#timer = undefined;
    this.#at = Infinity;
    this.fire();
  }
}
