import type { Clock, Timer } from '../clock.js';
import type { Pending } from './pending.js';

/**
 * Ends what is pending at its deadline, with one timer for all.
 *
 * The timer stands at the earliest deadline that was ever added since it last fired; then all are looked at. So
 * adding and removing cost a few nanoseconds, and looking at ten thousand every few seconds costs next to nothing.
 */
export class Deadlines {
  private readonly pending: Pending[] = [];
  private timer: Timer | undefined;
  private armedForMs = Number.POSITIVE_INFINITY;

  /** `run` calls the sweep in the right asynchronous context. */
  constructor(
    private readonly clock: Clock,
    private readonly run: (sweep: () => void) => void,
  ) {}

  /** Starts watching. */
  add(pending: Pending): void {
    pending.slot = this.pending.push(pending) - 1;
    if (pending.deadlineMs < this.armedForMs) this.arm(pending.deadlineMs);
  }

  /** Stops watching; harmless for what is not watched. With nothing left no timer keeps the process alive. */
  remove(pending: Pending): void {
    const { slot } = pending;
    if (slot < 0) return;
    pending.slot = -1;
    const last = this.pending.pop();
    if (last !== undefined && last !== pending) {
      this.pending[slot] = last;
      last.slot = slot;
    }
    if (this.pending.length === 0) this.disarm();
  }

  /** Abandons everything now. */
  abandonAll(): void {
    for (const pending of [...this.pending]) {
      this.remove(pending);
      pending.abandon();
    }
  }

  private arm(deadlineMs: number): void {
    this.timer?.cancel();
    this.armedForMs = deadlineMs;
    this.timer = this.clock.setTimer(() => this.run(this.sweep), deadlineMs - this.clock.monotonic());
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.armedForMs = Number.POSITIVE_INFINITY;
  }

  private readonly sweep = (): void => {
    this.disarm();
    const now = this.clock.monotonic();
    for (const pending of this.pending.filter((each) => each.deadlineMs <= now)) {
      if (pending.slot < 0) continue; // ended by one that came before it
      this.remove(pending);
      pending.expire();
    }
    const earliest = this.pending.reduce((least, each) => Math.min(least, each.deadlineMs), this.armedForMs);
    if (earliest < this.armedForMs) this.arm(earliest);
  };
}
