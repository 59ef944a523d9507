import type { DelayEngine, MessageState, Region } from '@delay-queue/core';
import { afterEach, beforeEach, expect } from 'vitest';
import { RegionDriver } from './region-driver.js';
import { EMPTY_REGION, type RegionSnapshot, type StoredId } from './snapshot.js';
import type { TestClock } from './test-clock.js';
import { regionName, type MakeStore, type TestStore } from './test-store.js';

/** The region of tests that need only one. */
export const REGION: Region = { topic: 'order:timeout', index: 0 };

/** A fresh store for each test; after each test every key of it is audited. */
export class StoreInUse {
  private current: TestStore | undefined;

  get store(): TestStore {
    if (this.current === undefined) throw new Error('the store exists only while a test runs');
    return this.current;
  }

  get clock(): TestClock {
    return this.store.clock;
  }

  async start(make: MakeStore): Promise<void> {
    this.current = await make();
  }

  async end(): Promise<void> {
    const { store } = this;
    this.current = undefined;
    const violations = await store.audit().finally(() => store.close());
    expect(violations, 'rules of the store that the test left broken').toEqual([]);
  }

  /** A new worker on one region. */
  async driver(region: Region = REGION, epoch = 1): Promise<RegionDriver> {
    return new RegionDriver(await this.store.worker(), region, epoch);
  }

  /** Two workers on one region that have both been in contact with it for longer than any lease. */
  async pair(region: Region = REGION): Promise<readonly [RegionDriver, RegionDriver]> {
    const pair = [await this.driver(region), await this.driver(region)] as const;
    for (const worker of pair) await worker.claim();
    this.clock.advance(3_600_000);
    for (const worker of pair) await worker.claim();
    return pair;
  }

  async region(region: Region = REGION): Promise<RegionSnapshot> {
    const { regions } = await this.store.snapshot();
    return regions.get(regionName(region)) ?? EMPTY_REGION;
  }

  async stored(id: string, region: Region = REGION): Promise<StoredId | undefined> {
    return (await this.region(region)).ids.get(id);
  }

  async state(id: string, region: Region = REGION): Promise<MessageState | undefined> {
    return (await this.stored(id, region))?.state;
  }

  kill(worker: RegionDriver | DelayEngine): Promise<void> {
    return this.store.kill(worker instanceof RegionDriver ? worker.engine : worker);
  }
}

/** To be called in a `describe`: a store of its own for each of its tests. */
export function useStore(make: MakeStore): StoreInUse {
  const inUse = new StoreInUse();
  beforeEach(() => inUse.start(make));
  afterEach(() => inUse.end());
  return inUse;
}
