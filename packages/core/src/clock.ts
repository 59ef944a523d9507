/** The largest delay Node's timers take; anything above fires after 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An armed timer. */
export interface Timer {
  /** Disarms it; harmless afterwards. */
  cancel(): void;
}

/** How a timer is armed. */
export interface TimerOptions {
  /**
   * Nothing is known to be due then: a look or a retry just in case. A simulated clock makes no stop for it, it
   * fires at the next stop that has another reason. Ignored by the real clock. @default false
   */
  readonly idle?: boolean;
}

/** Whoever works under a simulated clock and must be waited for when time is moved. */
export interface SimulationMember {
  /**
   * Looks for work that is due at the clock's now, waits until it and all that it set off is settled, and
   * resolves `true`; or resolves `false` when `patienceMs` of real time pass without any progress. What it gave
   * up waiting for (a handler that hangs) is not waited for again.
   */
  settle(patienceMs: number): Promise<boolean>;
  /**
   * Grows with every piece of work taken up. A round of `settle` over all members in which no count moved is the
   * last one. Absent: the member sets nothing off in others.
   */
  readonly activity?: number;
}

/** Time. Everything in core and the engines asks it, nothing asks `Date` or `setTimeout`. */
export interface Clock {
  /** Wall clock, whole epoch milliseconds. May step. */
  now(): number;
  /** Milliseconds since some start; never steps back. */
  monotonic(): number;
  /** Calls `fire` once after `ms`, for any `ms`; may do so early, so callers look at the clock again. */
  setTimer(fire: () => void, ms: number, options?: TimerOptions): Timer;
  /** Present on simulated clocks only. */
  readonly simulation?: {
    /** Registers a member; returns the way out. */
    join(member: SimulationMember): () => void;
  };
}

/** The real clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(fire, ms) {
    const handle = setTimeout(fire, Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
    return { cancel: () => clearTimeout(handle) };
  },
};
