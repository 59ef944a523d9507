import { DelayQueueError, type Clock } from '@delay-queue/core';
import { MessageBudget } from './message-budget.js';
import { NamespaceState } from './namespace-state.js';
import { StoreClock } from './store-clock.js';

/** Options of a `MemoryStore`. */
export interface MemoryStoreOptions {
  /**
   * How many messages the store holds at most: waiting, running, followers of running ones and dead letters
   * of all its topics together. One more is refused with `STORE_FULL`; replacing and duplicates are not
   * affected.
   * @default Infinity
   */
  readonly maxMessages?: number;
}

/** What a `MemoryStore` holds, over all namespaces, topics and regions. All 0: nothing is left behind. */
export interface MemoryStoreStats {
  readonly waiting: number;
  readonly running: number;
  /** Versions that wait for a running one of the same id to end. */
  readonly followers: number;
  readonly dead: number;
  /** Ids of handled messages that are remembered (topics with `dedupe`), expired ones included until trimmed. */
  readonly handled: number;
  /** Claims with unsettled messages. */
  readonly leases: number;
}

/**
 * Messages in this process's memory, for any number of delay queues. It is gone with the process: nothing
 * here survives an exit or a crash. Hand one store to several delay queues and they are workers on the same
 * messages, as processes on one Redis are; namespaces are apart.
 *
 * Its time is set once, by the clock of the first delay queue that uses it, and runs on the monotonic clock:
 * steps of the wall clock do not touch it, and while the machine is suspended it may stand still.
 */
export class MemoryStore {
  readonly #budget: MessageBudget;
  readonly #namespaces = new Map<string, NamespaceState>();
  #clock: StoreClock | undefined;
  #workers = 0;

  /** @throws DelayQueueError `INVALID_OPTION` */
  constructor(options: MemoryStoreOptions = {}) {
    const { maxMessages = Infinity } = options;
    if (maxMessages !== Infinity && !(Number.isSafeInteger(maxMessages) && maxMessages > 0)) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `maxMessages must be a whole number of messages, 1 or more, got ${String(maxMessages)}`,
      );
    }
    this.#budget = new MessageBudget(maxMessages);
  }

  /** Messages in the store, in whatever state: 0 when all is settled and no dead letter is left. */
  get size(): number {
    return this.#budget.used;
  }

  /** Counts everything the store holds, for leak checks; takes a step for each region ever used. */
  stats(): MemoryStoreStats {
    let [waiting, running, dead, handled, leases] = [0, 0, 0, 0, 0];
    for (const namespace of this.#namespaces.values()) {
      for (const region of namespace.regions()) {
        waiting += region.waiting.size;
        running += region.running;
        dead += region.dead.size;
        handled += region.seen.size;
        leases += region.leases.size;
      }
    }
    const followers = this.size - waiting - running - dead;
    return { waiting, running, followers, dead, handled, leases };
  }

  /** @internal The store's clock; the first caller's clock sets it. */
  clock(clock: Clock): StoreClock {
    this.#clock ??= new StoreClock(clock);
    if (!this.#clock.agreesWith(clock)) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        'clock: this MemoryStore keeps the time of another clock; hand the same simulated clock to every ' +
          'delay queue on a store, or give each its own store',
      );
    }
    return this.#clock;
  }

  /** @internal */
  namespace(name: string, clock: StoreClock): NamespaceState {
    let namespace = this.#namespaces.get(name);
    if (namespace === undefined) {
      namespace = new NamespaceState(clock, this.#budget);
      this.#namespaces.set(name, namespace);
    }
    return namespace;
  }

  /** @internal An id for one more worker. */
  nextWorker(): string {
    return `memory-${++this.#workers}`;
  }
}
