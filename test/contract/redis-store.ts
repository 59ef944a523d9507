import type { DelayEngine } from '@delay-queue/core';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { uniqueNamespace } from '../support/unique.js';
import { dumpKeys, type DumpedKey } from './support/redis-dump.js';
import { readRedisRegion } from './support/redis-region.js';
import { silentLogger } from './support/silent-logger.js';
import type { RegionSnapshot, Snapshot } from './support/snapshot.js';
import { TestClock } from './support/test-clock.js';
import type { StoreOptions, TestStore } from './support/test-store.js';

/** Where the store is, and what the workers see of it. */
export interface RedisStoreOptions extends StoreOptions {
  /** Redis as it is, for reading raw. */
  readonly url: string;
  /** Redis as the workers reach it, such as through a proxy. @default `url` */
  readonly workerUrl?: string;
}

/** A namespace of a Redis server with workers, as the contract suite needs it. */
export async function makeRedisStore(options: RedisStoreOptions): Promise<TestStore> {
  const { url, workerUrl = url } = options;
  const clock = new TestClock();
  const engineClock = options.engineClock ?? clock;
  const own = uniqueNamespace();
  const spaces = new Set([own]);
  const workers = new Set<DelayEngine>();
  const raw = new Redis(url, { lazyConnect: true });
  await raw.connect();
  const dump = () =>
    dumpKeys(
      raw,
      [...spaces].flatMap((space) => [`{${space}:`, `{${space}}`]),
    );

  const snapshot = async (): Promise<Snapshot> => {
    const keys = await dump();
    const tags = new Map<string, Map<string, DumpedKey>>();
    const violations: string[] = [];
    for (const [name, key] of keys) {
      const match = /^\{([^{}:]+):(.+):(\d+)\}:(.+)$/s.exec(name);
      if (match === null) {
        if (!/^\{[^{}:]+\}:topics$/.test(name) || key.type !== 'hash') violations.push(`unknown key ${name}`);
        continue;
      }
      const [, space = '', topic = '', index = '', rest = ''] = match;
      const region = `${space === own ? '' : `${space}|`}${topic}/${index}`;
      const of = tags.get(region) ?? new Map<string, DumpedKey>();
      tags.set(region, of.set(rest, key));
    }
    const regions = new Map<string, RegionSnapshot>();
    for (const [name, of] of tags) {
      const read = readRedisRegion(of, clock.latest);
      regions.set(name, read.snapshot);
      violations.push(...read.violations.map((violation) => `${name}: ${violation}`));
    }
    return { regions, violations };
  };

  return {
    clock,
    async worker(namespace) {
      const space = namespace === undefined ? own : `${own}.${namespace}`;
      spaces.add(space);
      const connect = redisEngine({ connection: workerUrl });
      const engine = connect({ namespace: space, clock: engineClock, logger: silentLogger });
      workers.add(engine);
      await engine.open();
      return engine;
    },
    // Nothing is called any more: a close would be a farewell.
    kill: () => Promise.resolve(),
    snapshot,
    audit: async () => (await snapshot()).violations,
    async close() {
      await Promise.all([...workers].map((worker) => worker.close()));
      const names = [...(await dump()).keys()];
      if (names.length > 0) await raw.unlink(...names);
      await raw.quit();
    },
  };
}
