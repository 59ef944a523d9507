import type { TestStore } from '../contract/support/test-store.js';

/** A store that can also fail in the ways that matter. */
export interface ModelStore extends TestStore {
  /** Messages that fit in; beyond them a put is `refused`. `Infinity`: no such limit. */
  readonly maxMessages: number;
  /** Whether a worker gives back, at its next claim in a region, what a claim without an answer took there. */
  readonly givesBack: boolean;
  /**
   * Makes a call whose answer is lost on its way: `lost` then, though it may have been carried out. A call
   * that needed no answer from the store gives its result.
   */
  lose<R>(make: () => Promise<R>): Promise<'lost' | { readonly result: R }>;
  /** Makes the store refuse whatever needs more memory, or ends that. Absent where it cannot happen. */
  setFull?(full: boolean): Promise<void>;
}
