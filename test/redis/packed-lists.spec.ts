import fc from 'fast-check';
import { expect, inject, it, onTestFinished } from 'vitest';
import { Redis } from 'ioredis';
import { readPackedLists } from '../../packages/redis/src/packed-lists.js';

const PACK = `
local first, second = {}, {}
for i = 1, ARGV[1] do first[i] = ARGV[i + 1] end
for i = ARGV[1] + 2, #ARGV do second[#second + 1] = ARGV[i] end
return cmsgpack.pack(first, second)`;

it('lists that Redis packed are read as they were, whatever their lengths and characters', async () => {
  const redis = new Redis(inject('redisUrl'));
  onTestFinished(() => redis.disconnect());
  const long = fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 31, 32, 255, 256, 70_000));
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    long.map(([part, times]) => part.slice(0, 2).repeat(times)),
  );
  const list = fc.oneof(
    fc.array(text, { maxLength: 20 }),
    fc.array(fc.string(), { minLength: 300, maxLength: 310 }),
  );
  await fc.assert(
    fc.asyncProperty(list, list, async (first, second) => {
      const packed = await redis.callBuffer('eval', [PACK, '0', `${first.length}`, ...first, ...second]);
      const wanted = [first, second].map((texts) => texts.map((each) => Buffer.from(each).toString()));
      expect(readPackedLists(packed as Buffer)).toEqual(wanted);
    }),
    { numRuns: 60 },
  );
});

it.each([
  ['a text where a list should be', [0xa1, 0x61], /0xa1 at 0 where a list should be/],
  ['a number in a list', [0x91, 0x01], /0x1 at 1 where a text should be/],
  ['less than a list promises', [0x92, 0xa1, 0x61], /ends too soon/],
])('%s is refused', (_what, bytes, message) => {
  expect(() => readPackedLists(Buffer.from(bytes))).toThrow(message);
});
