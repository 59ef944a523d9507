import { AsyncResource } from 'node:async_hooks';

/**
 * Runs everything of one consumer queue in the asynchronous context in which the queue was made, so that no
 * handler sees the `AsyncLocalStorage` of whoever sent a message, armed a timer or gave a hint.
 */
export class AsyncScope {
  readonly #home = new AsyncResource('DelayConsumerQueue', { requireManualDestroy: true });

  /** Calls `act` at home. What `enterWith` does in there stays in there. */
  run<T>(act: () => T): T {
    return this.#home.runInAsyncScope(() => this.apart(act));
  }

  /** Calls `act` in a context of its own that starts out as the current one. Some 60 ns. */
  apart<A extends unknown[], T>(act: (...args: A) => T, ...args: A): T {
    const own = new AsyncResource('DelayQueueHandler', { requireManualDestroy: true });
    return own.runInAsyncScope(act, undefined, ...args);
  }
}
