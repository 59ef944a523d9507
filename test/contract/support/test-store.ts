import type { Clock, DelayEngine, Region } from '@delay-queue/core';
import type { Snapshot } from './snapshot.js';
import type { TestClock } from './test-clock.js';

/** One store with any number of workers on it. */
export interface TestStore {
  /** Moved by the test; all workers see it. */
  readonly clock: TestClock;
  /** An opened engine of its own on this store; other namespaces never meet the store's own. */
  worker(namespace?: string): Promise<DelayEngine>;
  /** The worker's process ends without a word: what it holds stays held until its leases run out. */
  kill(worker: DelayEngine): Promise<void>;
  /** Reads everything raw, past the engine. */
  snapshot(): Promise<Snapshot>;
  /** The broken rules of `snapshot()`. */
  audit(): Promise<readonly string[]>;
  /** Closes all workers and removes what they stored. */
  close(): Promise<void>;
}

/** What a store can be made with. */
export interface StoreOptions {
  /** Instead of the test clock; then `clock` of the store moves nothing. @default the store's `clock` */
  readonly engineClock?: Clock;
}

/** Makes one empty store. An engine that passes `describeEngine` comes with one of these. */
export type MakeStore = (options?: StoreOptions) => Promise<TestStore>;

/** How a region is called in a snapshot and in messages. */
export const regionName = ({ topic, index }: Region): string => `${topic}/${index}`;
