import { isDeepStrictEqual } from 'node:util';
import { DelayQueueError, type DelayEngine, type Moved, type Region, type Topology } from '@delay-queue/core';
import { EMPTY_REGION, type RegionSnapshot } from '../contract/support/snapshot.js';
import { regionName } from '../contract/support/test-store.js';
import { differences, forget } from './differences.js';
import type { ModelStore } from './model-store.js';
import { ModelRegion } from './model-region.js';

/** The regions of the model tests: two of one topic, and one of another. */
export const REGIONS: readonly Region[] = [
  { topic: 'order:timeout', index: 0 },
  { topic: 'order:timeout', index: 1 },
  { topic: 'order', index: 0 },
];

/** Workers at any time. */
export const WORKERS = 3;

/** A lease that some claim made, and what it held then. */
export interface PastLease {
  readonly lease: string;
  readonly owner: DelayEngine;
  readonly ids: readonly string[];
}

/** One worker, with the leases whose claims it got no answer to, by region. */
export interface Worker {
  engine: DelayEngine;
  orphans: string[];
}

/** One possible way in which a call may have been carried out. */
export interface Possibility<R> {
  readonly region: ModelRegion;
  readonly result: R;
}

/** The real store and the model beside it. */
export class World {
  readonly models: readonly ModelRegion[] = REGIONS.map(() => new ModelRegion());
  readonly topologies = new Map<string, Topology>();
  readonly past: readonly PastLease[][] = REGIONS.map(() => []);
  readonly workers: Worker[] = [];
  /** Whether the store refuses whatever needs more memory. */
  full = false;

  constructor(readonly store: ModelStore) {}

  static async start(store: ModelStore): Promise<World> {
    const world = new World(store);
    for (let i = 0; i < WORKERS; i++) world.workers.push({ engine: await store.worker(), orphans: [] });
    return world;
  }

  get now(): number {
    return this.store.clock.now();
  }

  get size(): number {
    return this.models.reduce((sum, { size }) => sum + size, 0);
  }

  model(region: number): ModelRegion {
    return at(this.models, region);
  }

  worker(index: number): Worker {
    return at(this.workers, index);
  }

  pastOf(region: number): PastLease[] {
    return at(this.past, region);
  }

  /** Reads every key; all rules of the store must hold, and every region but `except` be as the model says. */
  async read(except?: number): Promise<RegionSnapshot> {
    const { regions, violations } = await this.store.snapshot();
    const known = new Set(REGIONS.map(regionName));
    const found = [...violations];
    for (const [name, { paused: _, ...real }] of regions) {
      const { paused: __, ...empty } = EMPTY_REGION;
      if (!known.has(name) && !isDeepStrictEqual(real, empty)) found.push(`${name} is not one of ours`);
    }
    for (const [i, region] of REGIONS.entries()) {
      const real = regions.get(regionName(region)) ?? EMPTY_REGION;
      if (i === except) continue;
      found.push(
        ...differences(this.model(i), real, this.now).map((text) => `${regionName(region)}: ${text}`),
      );
      forget(this.model(i), real, this.now);
    }
    if (found.length > 0) throw new Error(found.join('\n'));
    return regions.get(regionName(REGIONS[except ?? 0] ?? { topic: '', index: 0 })) ?? EMPTY_REGION;
  }

  /**
   * Makes a call of one worker on one region and finds, among all the ways in which it may have been carried
   * out, the one that explains both its answer and every key of the store; that one is the model from then on.
   *
   * @param lost the call is carried out and its answer never arrives
   */
  async call<R>(
    worker: number,
    region: number,
    lost: boolean,
    make: (engine: DelayEngine) => Promise<R>,
    carryOut: (model: ModelRegion) => R,
    same: (expected: R, actual: R) => readonly string[],
  ): Promise<R | 'lost'> {
    const { engine } = this.worker(worker);
    const answer = lost
      ? await this.store.lose(() => make(engine))
      : { result: await this.reach(() => make(engine)) };
    const real = await this.read(region);
    const explained: string[] = [];
    for (const { region: model, result } of this.possibilities(worker, region, answer === 'lost', carryOut)) {
      const found = [
        ...differences(model, real, this.now),
        ...(answer === 'lost' || result === NOT_DONE ? [] : same(result, answer.result)),
      ];
      if (found.length === 0) {
        this.adopt(region, model, real);
        return answer === 'lost' ? 'lost' : answer.result;
      }
      explained.push(found.join('\n'));
    }
    throw new Error(`${regionName(at(REGIONS, region))} at ${this.now}:\n${explained.join('\nor\n')}`);
  }

  /** Makes `model` what the region must hold from now on. */
  adopt(region: number, model: ModelRegion, real: RegionSnapshot): void {
    forget(model, real, this.now);
    Object.assign(this.model(region), model);
    const alive = new Set(this.models.flatMap(({ leases }) => [...leases.keys()]));
    for (const worker of this.workers) worker.orphans = worker.orphans.filter((lease) => alive.has(lease));
  }

  /** Repeats a call for as long as the store cannot be reached, which must mean that nothing was done. */
  async reach<R>(make: () => Promise<R>): Promise<R> {
    for (let left = 2_000; ; left -= 1) {
      try {
        return await make();
      } catch (error) {
        const away = error instanceof DelayQueueError && error.code === 'UNAVAILABLE';
        if (!away || left === 0) throw error;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }
  }

  /** A worker gives claims of unknown outcome back when it next meets their region, before or after the call. */
  private *possibilities<R>(
    worker: number,
    region: number,
    lost: boolean,
    carryOut: (model: ModelRegion) => R,
  ): Generator<Possibility<R | typeof NOT_DONE>> {
    const orphans = this.worker(worker).orphans.filter((lease) => this.model(region).leases.has(lease));
    const giveBack = (model: ModelRegion) => orphans.forEach((lease) => model.giveBack(lease));
    for (const when of orphans.length > 0 ? (['never', 'before', 'after'] as const) : (['never'] as const)) {
      const model = this.model(region).clone();
      if (when === 'before') giveBack(model);
      const result = carryOut(model);
      if (when === 'after') giveBack(model);
      yield { region: model, result };
    }
    if (!lost) return;
    yield { region: this.model(region).clone(), result: NOT_DONE };
    const model = this.model(region).clone();
    giveBack(model);
    yield { region: model, result: NOT_DONE };
  }
}

/** In place of a result: the call was not carried out. */
export const NOT_DONE = Symbol('not done');

/** The answer of a call to an outdated caller; a result like any other. */
export type OrMoved<R> = R | Moved;

/** An element that must be there. */
export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return found;
}
