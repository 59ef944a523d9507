import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import type { AsyncScope } from './async-scope.js';

/** Someone who waits for a condition. */
interface Waiter {
  readonly test: () => boolean;
  readonly resolve: (met: boolean) => void;
}

/**
 * Collects what happened in one turn of the event loop and does the rest at its end, once: whoever changed
 * something calls `wake`. (Timers by name from `node:timers`, which fake timers leave alone.)
 */
export class Turns {
  #awake = false;
  readonly #waiters = new Set<Waiter>();

  /** `atEnd` must not throw. */
  constructor(
    private readonly scope: AsyncScope,
    private readonly atEnd: () => void,
  ) {}

  /** Asks for the end of this turn. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    setImmediate(this.#end);
  }

  /** Whether something happened that has not been looked at. */
  get awake(): boolean {
    return this.#awake;
  }

  /** Resolves `true` as soon as `test` holds at the end of a turn, `false` after `ms` of real time. */
  until(test: () => boolean, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        test,
        resolve: (met) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(met);
        },
      };
      const timer = setTimeout(waiter.resolve, Math.min(ms, 2 ** 31 - 1), false);
      this.#waiters.add(waiter);
      this.wake();
    });
  }

  readonly #end = (): void => {
    this.#awake = false;
    this.scope.run(this.atEnd);
    for (const waiter of this.#waiters) if (waiter.test()) waiter.resolve(true);
  };
}
