import type { Region, Topology, TopologyProposal } from '@delay-queue/core';
import { Hints } from './hints.js';
import type { MessageBudget } from './message-budget.js';
import { RegionState } from './region-state.js';
import type { StoreClock } from './store-clock.js';
import { propose, UNKNOWN_TOPIC } from './topology.js';

/** Everything a store holds under one namespace. */
export class NamespaceState {
  readonly hints = new Hints();
  readonly #clock: StoreClock;
  readonly #budget: MessageBudget;
  readonly #topics = new Map<string, Topology>();
  readonly #regions = new Map<string, Map<number, RegionState>>();

  constructor(clock: StoreClock, budget: MessageBudget) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** The region, made at its first use. */
  region({ topic, index }: Region): RegionState {
    const known = this.#regions.get(topic)?.get(index);
    if (known !== undefined) return known;
    const region = new RegionState(this.#clock.floor(), this.#budget);
    const regions = this.#regions.get(topic) ?? new Map<number, RegionState>();
    this.#regions.set(topic, regions.set(index, region));
    return region;
  }

  /** Runs a step on a region and announces its earliest due time where the step moved it forward. */
  hinting<R>(region: Region, step: () => R): R {
    const { result, movedTo } = this.region(region).observe(step);
    if (movedTo !== undefined) this.hints.announce(region, movedTo);
    return result;
  }

  topology(topic: string, proposal: TopologyProposal | undefined): Topology {
    const current = this.#topics.get(topic) ?? UNKNOWN_TOPIC;
    const next = proposal === undefined ? current : propose(current, proposal);
    if (next !== current) this.#topics.set(topic, next);
    return next;
  }

  setPaused(topic: string, paused: boolean): void {
    this.#topics.set(topic, { ...this.topology(topic, undefined), paused });
  }

  /** All regions that were ever used. */
  *regions(): Generator<RegionState> {
    for (const regions of this.#regions.values()) yield* regions.values();
  }
}
