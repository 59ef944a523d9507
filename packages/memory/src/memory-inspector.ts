import type { EngineInspector, Moved, Page, Region, RegionCounts, StoredMessage } from '@delay-queue/core';
import type { NamespaceState } from './namespace-state.js';
import { countDueBy, countRegion, findMessage, pageOf, redriveMessage } from './region-inspect.js';
import type { StoreClock } from './store-clock.js';

/** The reading and repairing side of a memory engine. */
export class MemoryInspector implements EngineInspector {
  readonly #state: () => NamespaceState;
  readonly #clock: StoreClock;

  /** @param state gives the namespace, or throws `CLOSED` */
  constructor(state: () => NamespaceState, clock: StoreClock) {
    this.#state = state;
    this.#clock = clock;
  }

  async counts(region: Region): Promise<RegionCounts> {
    return countRegion(this.#state().region(region), this.#clock.floor());
  }

  async page(
    region: Region,
    state: 'waiting' | 'running' | 'dead',
    from: number,
    limit: number,
  ): Promise<Page> {
    return pageOf(this.#state().region(region), state, from, limit);
  }

  async find(
    region: Region,
    id: string,
    options: { readonly epoch: number },
  ): Promise<StoredMessage | undefined | Moved> {
    const state = this.#state().region(region);
    return state.meet(options.epoch) ?? findMessage(state, id, this.#clock.floor());
  }

  async redrive(region: Region, ids: readonly string[]): Promise<readonly boolean[]> {
    const namespace = this.#state();
    const state = namespace.region(region);
    const now = this.#clock.ceil();
    return namespace.hinting(region, () => ids.map((id) => redriveMessage(state, id, now)));
  }

  async discard(region: Region, ids: readonly string[]): Promise<readonly boolean[]> {
    const state = this.#state().region(region);
    return ids.map((id) => state.exhume(id) !== undefined);
  }

  async setPaused(topic: string, regions: readonly number[], paused: boolean): Promise<void> {
    const namespace = this.#state();
    namespace.setPaused(topic, paused);
    for (const index of regions) {
      const state = namespace.region({ topic, index });
      state.paused = paused;
      const lookAt = Math.min(state.waiting.nextAt(), state.leases.nextExpiryAt());
      if (!paused && lookAt !== Infinity) namespace.hints.announce({ topic, index }, lookAt);
    }
  }

  async dueSoon(region: Region, withinMs: number): Promise<number> {
    return countDueBy(this.#state().region(region), this.#clock.floor() + withinMs);
  }
}
