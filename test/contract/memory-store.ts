import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import type { DelayEngine } from '@delay-queue/core';
import { readMemoryRegion, type RegionState } from './support/memory-region.js';
import { recording, type Recorded } from './support/recording.js';
import { silentLogger } from './support/silent-logger.js';
import type { RegionSnapshot, Snapshot } from './support/snapshot.js';
import { TestClock } from './support/test-clock.js';
import { regionName, type StoreOptions, type TestStore } from './support/test-store.js';

const OWN = 'own';

/** A memory store with workers, as the contract suite needs it. */
export async function makeMemoryStore(
  options: StoreOptions & { readonly maxMessages?: number } = {},
): Promise<TestStore> {
  const clock = new TestClock();
  const engineClock = options.engineClock ?? clock;
  const store = new MemoryStore(
    options.maxMessages === undefined ? {} : { maxMessages: options.maxMessages },
  );
  const factory = memoryEngine({ store });
  const workers = new Set<DelayEngine>();
  const spaces = new Map<string, Recorded>();

  const read = (): Snapshot => {
    const regions = new Map<string, RegionSnapshot>();
    const violations: string[] = [];
    let messages = 0;
    for (const [namespace, recorded] of spaces) {
      const space = store.namespace(namespace, store.clock(engineClock));
      for (const region of recorded.regions.values()) {
        const state: RegionState = space.region(region);
        const name = `${namespace === OWN ? '' : `${namespace}|`}${regionName(region)}`;
        const found = readMemoryRegion(state, recorded.ids, clock.latest);
        regions.set(name, found.snapshot);
        messages += found.messages;
        violations.push(...found.violations.map((violation) => `${name}: ${violation}`));
      }
    }
    if (store.size !== messages)
      violations.push(`the store counts ${store.size} messages and holds ${messages}`);
    return { regions, violations };
  };

  return {
    clock,
    async worker(namespace = OWN) {
      const recorded = spaces.get(namespace) ?? { regions: new Map(), ids: new Set() };
      spaces.set(namespace, recorded);
      const engine = recording(factory({ namespace, clock: engineClock, logger: silentLogger }), recorded);
      await engine.open();
      workers.add(engine);
      return engine;
    },
    kill: (worker) => worker.close(),
    snapshot: async () => read(),
    audit: async () => read().violations,
    async close() {
      await Promise.all([...workers].map((worker) => worker.close()));
    },
  };
}
