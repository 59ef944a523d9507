import type { Redis } from 'ioredis';

/** One key, read whole. */
export type DumpedKey =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'hash'; readonly value: ReadonlyMap<string, string> }
  | { readonly type: 'zset'; readonly value: ReadonlyMap<string, number> }
  | { readonly type: 'set'; readonly value: ReadonlySet<string> }
  | { readonly type: 'other'; readonly value: string };

/** Every key that begins with one of the prefixes, with its content. Prefixes hold no glob characters. */
export async function dumpKeys(
  client: Redis,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, DumpedKey>> {
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, found] = await client.scan(cursor, 'COUNT', 10_000);
    for (const name of found) if (prefixes.some((prefix) => name.startsWith(prefix))) names.add(name);
    cursor = next;
  } while (cursor !== '0');
  return new Map(
    await Promise.all([...names].map(async (name) => [name, await read(client, name)] as const)),
  );
}

async function read(client: Redis, name: string): Promise<DumpedKey> {
  const type = await client.type(name);
  switch (type) {
    case 'string':
      return { type, value: (await client.get(name)) ?? '' };
    case 'hash':
      return { type, value: new Map(pairs(await client.call('HGETALL', name))) };
    case 'zset': {
      const flat = pairs(await client.call('ZRANGE', name, '0', '-1', 'WITHSCORES'));
      return { type, value: new Map(flat.map(([member, score]) => [member, Number(score)])) };
    }
    case 'set':
      return { type, value: new Set(await client.smembers(name)) };
    default:
      return { type: 'other', value: type };
  }
}

/** `call` instead of `hgetall`, whose object would swallow a field named `__proto__`. */
function pairs(reply: unknown): (readonly [string, string])[] {
  if (!Array.isArray(reply)) {
    if (typeof reply === 'object' && reply !== null) {
      return Object.entries(reply).map(([field, value]) => [field, String(value)]);
    }
    throw new TypeError(`expected a list, got ${typeof reply}`);
  }
  const flat: unknown[] = reply.flat();
  return Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), String(flat[2 * i + 1])]);
}
