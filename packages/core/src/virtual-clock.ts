import { setImmediate } from 'node:timers';
import type { Clock, SimulationMember, Timer, TimerOptions } from './clock.js';
import { reasonText } from './reason-text.js';
import { toMilliseconds, type DelayInput } from './duration.js';
import { DelayQueueError } from './errors.js';

/** How long, in real time, a step waits for a handler that makes no progress. */
const PATIENCE_MS = 1_000;

/** A timer that is armed. `order` tells those of the same time apart. */
interface Armed {
  readonly at: number;
  readonly order: number;
  readonly idle: boolean;
  readonly fire: () => void;
}

/**
 * A clock for tests, which stands still until it is told to move: `await clock.advance('31m')` returns when all
 * that fell due on the way has been handled and settled.
 *
 * It stops at every moment for which a timer is armed, in order, lets those fire (by time, then in the order in
 * which they were armed), and waits for running handlers before it goes on, for a handler that makes no progress
 * one second of real time, once. Where nothing is known to be due (`TimerOptions.idle`) it does not stop, so a
 * year takes as many steps as things happen in it: at each stop every consumer looks at all its regions, and so
 * knows what comes next.
 */
export class VirtualClock implements Clock {
  readonly simulation: { join(member: SimulationMember): () => void };
  readonly #startAt: number;
  readonly #members = new Set<SimulationMember>();
  /** By time and order. */
  readonly #armed: Armed[] = [];
  #now: number;
  #order = 0;
  #firing = false;
  #advances: Promise<unknown> = Promise.resolve();
  #errors: Error[] = [];

  /**
   * @param startAt epoch milliseconds at which the clock stands. @default Date.now()
   * @throws DelayQueueError INVALID_OPTION where `startAt` is not whole milliseconds of 0 or more
   */
  constructor(startAt: number = Date.now()) {
    if (!Number.isSafeInteger(startAt) || startAt < 0) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `VirtualClock: startAt must be whole epoch milliseconds of 0 or more, got ${String(startAt)}`,
      );
    }
    this.#startAt = startAt;
    this.#now = startAt;
    this.simulation = {
      join: (member) => {
        this.#members.add(member);
        return () => this.#members.delete(member);
      },
    };
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#startAt;
  }

  /** Fires when `advance` gets there; what is due at once fires soon, without one. */
  setTimer(fire: () => void, ms: number, options?: TimerOptions): Timer {
    const at = this.#now + Math.max(0, Math.ceil(ms));
    const armed: Armed = { at, order: this.#order++, idle: options?.idle ?? false, fire };
    this.#insert(armed);
    if (at === this.#now) setImmediate(() => this.#fireDue());
    return {
      cancel: () => {
        const index = this.#armed.indexOf(armed);
        if (index >= 0) this.#armed.splice(index, 1);
      },
    };
  }

  /**
   * Moves time by `duration` and resolves when everything that fell due on the way has settled. Calls that overlap
   * are carried out one after the other. When callbacks of timers threw, the clock goes on all the same, and the
   * call rejects in the end with what the first one threw.
   *
   * @throws DelayQueueError INVALID_DELAY for what is no duration
   */
  async advance(duration: DelayInput): Promise<void> {
    const ms = toMilliseconds(duration, 'the duration to advance by');
    const advance = this.#advances.then(() => this.#advance(ms));
    this.#advances = advance.catch(() => {
      // Its caller gets to know; the next advance starts from wherever the clock stands.
    });
    return advance;
  }

  async #advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await this.#settle();
    for (;;) {
      const next = this.#armed.find((armed) => !armed.idle);
      if (next === undefined || next.at > target) break;
      await this.#stopAt(next.at);
    }
    if (this.#now < target) await this.#stopAt(target);
    const [first] = this.#errors.splice(0);
    if (first !== undefined) throw first;
  }

  async #stopAt(at: number): Promise<void> {
    this.#now = Math.max(this.#now, at);
    this.#fireDue();
    await this.#settle();
  }

  /** Lets all members settle, until a round in which none of them took anything up. */
  async #settle(): Promise<void> {
    for (;;) {
      const before = this.#activity();
      // Lets what the timers just set off reach the point where it can be seen.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.allSettled(Array.from(this.#members, (member) => member.settle(PATIENCE_MS)));
      if (this.#activity() === before) return;
    }
  }

  #activity(): number {
    let sum = this.#members.size;
    for (const member of this.#members) sum += member.activity ?? 0;
    return sum;
  }

  #fireDue(): void {
    if (this.#firing) return;
    this.#firing = true;
    for (let next = this.#armed[0]; next !== undefined && next.at <= this.#now; next = this.#armed[0]) {
      this.#armed.shift();
      try {
        next.fire();
      } catch (error) {
        this.#errors.push(error instanceof Error ? error : new Error(reasonText(error)));
      }
    }
    this.#firing = false;
  }

  #insert(armed: Armed): void {
    let low = 0;
    let high = this.#armed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#armed[middle];
      if (other !== undefined && other.at <= armed.at) low = middle + 1;
      else high = middle;
    }
    this.#armed.splice(low, 0, armed);
  }
}
