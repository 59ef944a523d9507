import type { Clock, Timer } from '@delay-queue/core';

interface Armed {
  readonly fire: () => void;
  readonly at: number;
}

/**
 * A clock that stands still until a test moves it, so that "one millisecond before it is due" is a moment and
 * not a race. It is a simulated one (`simulation` present): engines take its `now()` for the server's time.
 */
export class TestClock implements Clock {
  /** Nobody waits for members here: the suites await each call by themselves. */
  readonly simulation = { join: () => () => undefined };
  /** The latest time that `now()` ever was: what was over by then may be gone, whatever is set back. */
  latest: number;
  private wall: number;
  private elapsed = 0;
  private readonly timers = new Set<Armed>();

  constructor(startAt = 1_750_000_000_123) {
    this.wall = startAt;
    this.latest = startAt;
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.elapsed;
  }

  setTimer(fire: () => void, ms: number): Timer {
    const timer = { fire, at: this.elapsed + Math.max(0, ms) };
    this.timers.add(timer);
    return { cancel: () => this.timers.delete(timer) };
  }

  /** Time passes: wall clock and monotonic time move on, timers that are due by then fire. */
  advance(ms: number): void {
    this.step(ms);
    this.elapsed += ms;
    for (const timer of [...this.timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > this.elapsed || !this.timers.delete(timer)) continue;
      timer.fire();
    }
  }

  /** Lets time pass until the wall clock shows `at`, which must not lie behind. */
  advanceTo(at: number): void {
    if (at < this.wall) throw new RangeError(`${at} lies ${this.wall - at} ms behind; use step() to go back`);
    this.advance(at - this.wall);
  }

  /** The wall clock is set, by a positive or negative step; no time passes. */
  step(ms: number): void {
    this.wall += ms;
    this.latest = Math.max(this.latest, this.wall);
  }
}
