import { DelayQueueError, describe, type EngineFactory } from '@delay-queue/core';
import { MemoryEngine } from './memory-engine.js';
import { MemoryStore } from './memory-store.js';

/** Options of `memoryEngine`. */
export interface MemoryEngineOptions {
  /**
   * The store to work on, to share it between delay queues or to look at its `size`.
   * @default a store of its own for each delay queue
   */
  readonly store?: MemoryStore;
  /**
   * How many messages the delay queue's own store holds at most; see `MemoryStoreOptions.maxMessages`. Not
   * together with `store`, whose limit is its own.
   * @default Infinity
   */
  readonly maxMessages?: number;
}

const OPTIONS = ['store', 'maxMessages'];

/**
 * Keeps messages in this process's memory, in a hierarchical timing wheel. The same contract as the Redis
 * engine, without durability: when the process ends, so do its messages. For development, tests, and delays
 * that may be lost.
 *
 * @throws DelayQueueError `INVALID_OPTION`
 */
export function memoryEngine(options: MemoryEngineOptions = {}): EngineFactory {
  if (typeof options !== 'object' || options === null) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `memoryEngine takes an options object; got ${describe(options)}`,
    );
  }
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `memoryEngine has no option "${unknown}"; it takes ${OPTIONS.join(' and ')} (as the module's engine give memoryEngine(), called)`,
    );
  }
  const { store, maxMessages } = options;
  if (store !== undefined && maxMessages !== undefined) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      'memoryEngine takes store or maxMessages, not both; a store is made with its own maxMessages',
    );
  }
  const storeOptions = maxMessages === undefined ? {} : { maxMessages };
  // Checked now, not at the first message.
  if (store === undefined) new MemoryStore(storeOptions);
  return (context) => new MemoryEngine(store ?? new MemoryStore(storeOptions), context);
}
