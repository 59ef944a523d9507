/** What is claimed ahead should start within this time, so that nothing waits here while other processes idle. */
const AHEAD_MS = 100;
/** The weight of the newest handler time in the running mean. */
const WEIGHT = 0.1;

/** How fast handlers of a topic lately were: decides how much may be claimed beyond the free slots. */
export class Pace {
  #meanMs: number | undefined;

  /** Takes note that a handler took `ms`. */
  observe(ms: number): void {
    this.#meanMs = this.#meanMs === undefined ? ms : this.#meanMs + (ms - this.#meanMs) * WEIGHT;
  }

  /** Handlers turned out much slower than they were: what is known of them is worth nothing. */
  forget(): void {
    this.#meanMs = undefined;
  }

  /**
   * How many messages beyond `concurrency` will start within 100 ms, at most `most`. None before the first
   * handler has ended: one round trip later it is known.
   */
  room(concurrency: number, most: number): number {
    if (this.#meanMs === undefined) return 0;
    if (this.#meanMs <= 0) return most;
    return Math.min(most, Math.floor((concurrency * AHEAD_MS) / this.#meanMs));
  }
}
