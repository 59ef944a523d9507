/** Translates times of the store's clock into our monotonic time, by what the newest claim brought. */
export class ServerTime {
  /** Monotonic minus server time. */
  #offset: number | undefined;

  /**
   * An answer came at `monotonic` and said it was `serverNow`. The store's now is always a little more than that,
   * so what is translated comes a little (the way of the answer) after its time, never before it.
   */
  learn(serverNow: number, monotonic: number): void {
    this.#offset = monotonic - serverNow;
  }

  /** The monotonic time of `at`; the past while nothing is known, and for what is no time. */
  monotonic(at: number): number {
    return this.#offset === undefined || Number.isNaN(at) ? -Infinity : at + this.#offset;
  }
}
