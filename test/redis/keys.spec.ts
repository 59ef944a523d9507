import { NAMESPACE_KEYS, REGION_KEYS } from '@delay-queue/redis';
import { describe, expect, it } from 'vitest';
import { Keys } from '../../packages/redis/src/keys.js';

/** What decides about a key's slot in a Cluster: the text between its first `{` and the next `}`. */
const hashTag = (key: string): string | undefined => /^[^{]*\{([^}]+)\}/.exec(key)?.[1];

const keysOf = (namespace: string, topic: string, index: number): string[] => {
  const { held, ...rest } = new Keys(namespace).region({ topic, index });
  return [...Object.values<string>(rest), held('worker.1')];
};

describe('the keys', () => {
  it.each([['order:timeout'], ['a'], [':'], ['a:0:due'], ['x.y_z-1'], ['0:1:2']])(
    'of one region of topic %s share a slot',
    (topic) => {
      const tags = keysOf('shop', topic, 3).map(hashTag);
      expect(new Set(tags)).toEqual(new Set([`shop:${topic}:3`]));
    },
  );

  it('never collide, whatever colons a topic has', () => {
    const regions: [string, string, number][] = [
      ['s', 'a:1', 2],
      ['s', 'a', 12],
      ['s', 'a:1:2', 0],
      ['s', '1', 2],
      ['s.a', '1', 2],
    ];
    const all = regions.flatMap((region) => keysOf(...region));
    expect(new Set(all).size).toBe(all.length);
  });

  it('are those of the table, in its names', () => {
    const names = Object.values(REGION_KEYS).map(({ name }) => name.replace('<token>', 'worker.1'));
    expect(keysOf('n', 't', 0).map((key) => key.replace('{n:t:0}:', ''))).toEqual(
      expect.arrayContaining(names),
    );
    expect(keysOf('n', 't', 0)).toHaveLength(names.length);
    expect(new Keys('n').topics).toBe(NAMESPACE_KEYS.topics.name.replace('<namespace>', 'n'));
  });
});
