import { TimingWheel } from './wheel/timing-wheel.js';

/** Ids of handled messages that stay refused until a time. */
export class SeenIds {
  readonly #until = new Map<string, { readonly at: number; readonly timer: number }>();
  readonly #byExpiry: TimingWheel<string>;

  constructor(now: number) {
    this.#byExpiry = new TimingWheel(now);
  }

  get size(): number {
    return this.#until.size;
  }

  add(id: string, untilAt: number): void {
    this.forget(id);
    this.#until.set(id, { at: untilAt, timer: this.#byExpiry.insert(untilAt, id) });
  }

  /** Until when `id` is refused; `undefined` where it is not, or not any more at `now`. */
  until(id: string, now: number): number | undefined {
    const seen = this.#until.get(id);
    return seen === undefined || seen.at <= now ? undefined : seen.at;
  }

  /** Forgets an id before it is trimmed. */
  forget(id: string): void {
    const seen = this.#until.get(id);
    if (seen === undefined) return;
    this.#byExpiry.remove(seen.timer);
    this.#until.delete(id);
  }

  /** Forgets up to `most` ids whose time has come. */
  trim(now: number, most: number): void {
    for (let trimmed = 0; trimmed < most; trimmed++) {
      const id = this.#byExpiry.take(now);
      if (id === undefined) return;
      this.#until.delete(id);
    }
  }
}
