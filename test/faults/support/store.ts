import type { Redis } from 'ioredis';
import { dumpKeys, type DumpedKey } from '../../contract/support/redis-dump.js';
import { readRedisRegion } from '../../contract/support/redis-region.js';
import type { StoredId } from '../../contract/support/snapshot.js';

/** Ids of records that a test puts by hand, in the form of a newer version, begin like this. */
export const NEWER = 'newer-';

/** Everything that a Redis server holds, by id, with the broken rules. */
export interface StoreReading {
  readonly ids: ReadonlyMap<string, StoredId>;
  readonly violations: readonly string[];
  /** Regions with any key, `topic:index`. */
  readonly regions: readonly string[];
}

/** Reads every key of one server, see `readMasters`. */
export function readStore(client: Redis, namespace: string): Promise<StoreReading> {
  return readMasters([client], namespace);
}

/**
 * Reads every key of servers that serve one namespace and nothing else. A key that no table names, that lies on two
 * servers, an orphan, an id in two states or in two regions is a violation. Nobody may write meanwhile, or it reads
 * what never was.
 */
export async function readMasters(clients: readonly Redis[], namespace: string): Promise<StoreReading> {
  const violations: string[] = [];
  const regions = new Map<string, Map<string, DumpedKey>>();
  const dumps = await Promise.all(clients.map((client) => dumpKeys(client, [''])));
  const names = new Set<string>();
  for (const [name, key] of dumps.flatMap((dump) => [...dump])) {
    if (names.has(name)) violations.push(`the key ${name} lies on two servers`);
    names.add(name);
    const match = /^\{([^:{}]+):([^{}]+:\d+)\}:(.+)$/.exec(name);
    if (match?.[1] === namespace) {
      const [, , region = '', part = ''] = match;
      const dump = regions.get(region) ?? new Map<string, DumpedKey>();
      regions.set(region, dump.set(part, key));
    } else if (name !== `{${namespace}}:topics`) {
      violations.push(`the key ${name} is not in the table`);
    }
  }
  const ids = new Map<string, StoredId>();
  for (const [region, dump] of regions) {
    const read = readRedisRegion(dump, Date.now());
    for (const violation of read.violations) {
      // Its version is not known to the reader of envelopes either, as it should be.
      if (!violation.startsWith(`the envelope of ${NEWER}`)) violations.push(`${region}: ${violation}`);
    }
    for (const [id, stored] of read.snapshot.ids) {
      if (ids.has(id)) violations.push(`${id} stands in ${region} and in another region`);
      ids.set(id, stored);
    }
  }
  return { ids, violations, regions: [...regions.keys()] };
}

/** Messages that wait or run, and leases; records of a newer version left out. A quick look while others write. */
export async function unfinished(clients: readonly Redis[], namespace: string): Promise<number> {
  const { ids } = await readMasters(clients, namespace);
  let count = 0;
  for (const [id, { state }] of ids)
    if (state !== 'dead' && state !== 'handled' && !id.startsWith(NEWER)) count++;
  return count;
}
