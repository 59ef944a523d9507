import { AsyncResource } from 'node:async_hooks';
import type { HintListener, Logger, Region } from '@delay-queue/core';

/**
 * Tells every worker of a namespace that a region has a new earliest due time: after the call that brought it
 * about, once for each region, and in an asynchronous context of its own, so that no listener sees the
 * AsyncLocalStorage of whoever sent.
 */
export class Hints {
  readonly #context = new AsyncResource('DelayQueueHints');
  readonly #listeners = new Map<HintListener, Logger>();
  #pending = new Map<string, { readonly region: Region; readonly at: number }>();

  /** Adds a listener; `logger` hears when it throws. Returns the unsubscribe. */
  watch(listener: HintListener, logger: Logger): () => void {
    // A function of our own as the key: the same listener may watch twice.
    const own: HintListener = (region, at) => listener(region, at);
    this.#listeners.set(own, logger);
    return () => void this.#listeners.delete(own);
  }

  /** Announces `at` for a region; of several in one turn the earliest. */
  announce(region: Region, at: number): void {
    if (this.#listeners.size === 0) return;
    const key = `${region.topic}/${region.index}`;
    const pending = this.#pending.get(key);
    if (pending !== undefined && pending.at <= at) return;
    if (this.#pending.size === 0) queueMicrotask(() => this.#context.runInAsyncScope(() => this.#deliver()));
    this.#pending.set(key, { region: { topic: region.topic, index: region.index }, at });
  }

  #deliver(): void {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const { region, at } of pending.values()) {
      for (const [listener, logger] of this.#listeners) {
        try {
          listener(region, at);
        } catch (error) {
          logger.error(`a listener for hints failed at ${region.topic}/${region.index}`, error);
        }
      }
    }
  }
}
