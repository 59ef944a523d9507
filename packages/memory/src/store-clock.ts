import type { Clock } from '@delay-queue/core';

/**
 * The "server's" clock of a memory store. It is set once, from the wall clock, and then runs on the monotonic
 * clock, so that a step of the wall clock neither delays nor hastens a message. Under a simulated clock it is
 * that clock's now.
 */
export class StoreClock {
  readonly #clock: Clock;
  readonly #offset: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.monotonic();
  }

  /** Whether this clock tells the same time as `clock` will: both real, or one simulation. */
  agreesWith(clock: Clock): boolean {
    return clock === this.#clock || clock.simulation === this.#clock.simulation;
  }

  /** The last whole millisecond that has come: what is due by it is due. */
  floor(): number {
    return Math.floor(this.#now());
  }

  /** The next whole millisecond: a delay counted from it is never early. */
  ceil(): number {
    return Math.ceil(this.#now());
  }

  #now(): number {
    return this.#clock.simulation === undefined ? this.#clock.monotonic() + this.#offset : this.#clock.now();
  }
}
