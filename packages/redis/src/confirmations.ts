import type { SingleClient } from './connections/redis-client.js';

/**
 * The waits of one connection, one at a time. While it waits, a server does nothing else for a connection; so what is
 * written meanwhile shares the next wait instead of queueing behind one each.
 *
 * A wait counts for what was written before it over the same socket. That holds: the next one leaves the moment the
 * one before is answered, and when a connection breaks, what was written behind an open wait fails together with it.
 */
export class Confirmations {
  static readonly #all = new WeakMap<SingleClient, Confirmations>();
  #current: Promise<unknown> | undefined;
  #next: Promise<unknown> | undefined;

  /** Those of a connection. */
  static of(client: SingleClient): Confirmations {
    let found = this.#all.get(client);
    if (found === undefined) this.#all.set(client, (found = new Confirmations()));
    return found;
  }

  /** The answer to a wait for all that was written so far; `ask` sends one. */
  wait(ask: () => Promise<unknown>): Promise<unknown> {
    if (this.#current === undefined) return this.#begin(ask);
    const begin = () => {
      this.#next = undefined;
      return this.#begin(ask);
    };
    return (this.#next ??= this.#current.then(begin, begin));
  }

  #begin(ask: () => Promise<unknown>): Promise<unknown> {
    const asked = ask().finally(() => {
      if (this.#current === asked) this.#current = undefined;
    });
    return (this.#current = asked);
  }
}
