import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import * as fragments from '../../packages/redis/src/scripts/lua.js';
import { allScripts } from './all-scripts.js';
import { keyPositions, undeclaredKeys, type KeyPositions } from './script-keys.js';

const { EACH, EARLIEST } = fragments;

/** Lines of a script, the shared beginnings not counted. */
const LONGEST = 64;

const scripts = await allScripts();

let redis: Redis;
let positions: ReadonlyMap<string, KeyPositions>;
beforeAll(async () => {
  redis = new Redis(inject('redisUrl'));
  positions = await keyPositions(redis);
});
afterAll(() => redis.quit());

describe('the scripts', () => {
  it('are all here', () => {
    expect(scripts.length).toBeGreaterThanOrEqual(15);
    expect(new Set(scripts.map(({ name }) => name)).size).toBe(scripts.length);
  });

  it.each(scripts.map((script) => [script.name, script] as const))(
    '%s touches only keys it was given',
    (_name, { lua }) => {
      expect(lua).toContain('KEYS[1]');
      expect(undeclaredKeys(lua, positions)).toEqual([]);
    },
  );

  it.each([
    ["redis.call('GET', '{a}:b')", "'{a}:b'"],
    ["redis.call('GET', KEYS[1] .. ':b')", "KEYS[1] .. ':b'"],
    ["redis.pcall('DEL', KEYS[1], ARGV[1])", 'ARGV[1]'],
    ["local due = KEYS[1]\ndue = due .. 'b'\nredis.call('ZCARD', due)", 'due'],
    ["local due, other = KEYS[1], ARGV[1]\nredis.call('ZCARD', other)", 'other'],
    ["local due = KEYS[1]\nfor _, due in ipairs(ARGV) do redis.call('ZCARD', due) end", 'due'],
    ["local due = KEYS[1]\nlocal function f(due) redis.call('ZCARD', due) end", 'due'],
    [`${EACH}\neach('HDEL', ARGV[1], {})`, 'ARGV[1]'],
    [`${EARLIEST}\nearliest(ARGV[1])`, 'ARGV[1]'],
    ['redis.call(ARGV[1], KEYS[1])', 'ARGV[1], KEYS[1]'],
    ['local call = redis.call', 'redis.call'],
    ["redis.call('ZUNION', 1, KEYS[1])", "'ZUNION', 1, KEYS[1]"],
  ])('a script with %j would be found', (lua, found) => {
    expect(undeclaredKeys(lua, positions)).toEqual([found]);
  });

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
