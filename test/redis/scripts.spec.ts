import { Redis } from 'ioredis';
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Script } from '../../packages/redis/src/script.js';
import * as fragments from '../../packages/redis/src/scripts/lua.js';

const FOLDER = new URL('../../packages/redis/src/scripts/', import.meta.url);

/** Lines of a script, the shared beginnings not counted. */
const LONGEST = 64;

/** Commands whose first argument is no key. */
const KEYLESS = ['TIME', 'PUBLISH'];

const isScript = (value: unknown): value is Script =>
  typeof value === 'object' && value !== null && 'lua' in value && 'sha' in value;

const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
const scripts = (
  await Promise.all(
    files.map(async (name) => {
      const exports = (await import(new URL(name, FOLDER).href)) as Record<string, unknown>;
      return Object.values(exports).filter(isScript);
    }),
  )
).flat();

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject('redisUrl'));
});
afterAll(() => redis.quit());

/** Names that stand for a key: locals assigned from KEYS. */
function keyNames(lua: string): Set<string> {
  const names = new Set<string>();
  for (const [, left = '', right = ''] of lua.matchAll(/local ([\w, ]+) =\s*([^\n]+)/g)) {
    const values = right.split(',').map((value) => value.trim());
    left.split(',').forEach((name, i) => {
      if (/^KEYS\[\d+\]$/.test(values[i] ?? '')) names.add(name.trim());
    });
  }
  return names;
}

/** The first argument of every command, and the second of every `each(command, key, list)`. */
function keyArguments(lua: string): string[] {
  const body = lua.replace(/local function each\(command, key, list\)[\s\S]*?\nend/, '');
  const calls = [...body.matchAll(/redis\.p?call\('(\w+)'(?:, ([\w[\]]+))?(?:, ([\w[\]]+))?/g)];
  const keys = calls.flatMap(([, command = '', first = '', second = '']) => {
    if (KEYLESS.includes(command)) return [];
    return command === 'EXISTS' && second !== '' ? [first, second] : [first];
  });
  const each = [...body.matchAll(/each\('\w+', ([\w[\]]+),/g)].map(([, key = '']) => key);
  const earliest = [...body.matchAll(/(?<!function )earliest\((\w+)\)/g)].map(([, key = '']) => key);
  return [...keys, ...each, ...earliest];
}

describe('the scripts', () => {
  it('are all here', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(15);
    expect(new Set(scripts.map(({ name }) => name)).size).toBe(scripts.length);
  });

  it.each(scripts.map((script) => [script.name, script] as const))(
    '%s touches only keys it was given',
    (_name, { lua }) => {
      const names = keyNames(lua);
      const used = keyArguments(lua);
      expect(used.length).toBeGreaterThan(0);
      for (const key of used) {
        // The parameter of `earliest(due)` is one of the names too.
        expect(key === 'due' || names.has(key) || /^KEYS\[\d\]$/.test(key), `${key} in: ${lua}`).toBe(true);
      }
      expect(lua).not.toMatch(/redis\.p?call\([^')]*\.\./);
    },
  );

  it.each(scripts.map((script) => [script.name, script] as const))(
    '%s is short, and never unpacks without a bound',
    (_name, { lua }) => {
      const shared = Object.values(fragments).filter((value) => typeof value === 'string');
      const own = shared.reduce((text, fragment) => text.replace(fragment, ''), lua);
      expect(own.split('\n').length).toBeLessThanOrEqual(LONGEST);
      for (const [unpack] of lua.matchAll(/unpack\([^()]*(?:\([^()]*\)[^()]*)*\)/g)) {
        expect(unpack, 'unpack of a whole list').toMatch(/^unpack\(\w+, .+, .+\)$|^unpack\(mine\)$/);
      }
    },
  );

  it.each(scripts.map((script) => [script.name, script] as const))(
    '%s compiles, under the address we ask for',
    async (_name, { lua, sha }) => {
      expect(await redis.script('LOAD', lua)).toBe(sha);
    },
  );
});
