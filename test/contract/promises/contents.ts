import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { find, inspectorOf } from '../support/inspector.js';

/** All code points but surrogates, a good part of them one by one. */
const EVERY_CHARACTER =
  Array.from({ length: 0x3000 }, (_, i) => String.fromCharCode(i)).join('') + '\u{1f4a5}\u{10ffff}';

/** A codec may produce any well-formed text. */
const CONTENTS: readonly string[] = [
  ...[
    '""',
    '',
    '0',
    '-0',
    'null',
    'true',
    '[]',
    '{}',
    '{"__proto__":{"polluted":1}}',
    '"\\u0000"',
    ' ',
    '\n',
  ],
  ...['\0', '\0\0', 'a\0b', '\x01', '\r\n', '\t', '\x7f', '\ufeff{}', '%d %s %%', 'return 1', "']]", '1|2|3'],
  ...['00000000000', '0123456789abcdef0123456', 'ffffffffffffffffffffffffff', '{"a":"\u2028\u2029"}', '"💥"'],
  EVERY_CHARACTER,
  JSON.stringify(EVERY_CHARACTER),
  JSON.stringify('x'.repeat(65_534)),
  JSON.stringify('é'.repeat(32_767)),
];

/** JSON.parse makes `__proto__` an own key, as a careful caller does. */
const ODD_HEADERS = JSON.parse(
  `{"":"empty name","empty":"","__proto__":"p","constructor":"c","a:b":"{}","\\u0000":"\\u0000","💥":"é","l":${JSON.stringify('x'.repeat(5_000))}}`,
) as Record<string, string>;

/** Content and headers come back as they went in. */
export function describeContents(make: MakeStore): void {
  describe('contents', () => {
    const use = useStore(make);

    it.each([undefined, ODD_HEADERS])(
      'of every kind come back to the character, headers: %#',
      async (headers) => {
        const worker = await use.driver();
        const extras = headers === undefined ? {} : { headers };
        const sent = CONTENTS.map((content, i) => message(`m${i}`, 0, { content, ...extras }));
        for (const each of sent) expect(await worker.putAll([each])).toEqual([{ outcome: 'stored' }]);
        for (const { id, content } of sent) {
          const found = await find(worker, id);
          expect(found).toMatchObject({ content });
          expect(headersOf(found)).toEqual(Object.entries(headers ?? {}).sort());
        }
        for (let left = sent.length; left > 0;) {
          const { lease, messages } = await worker.take(1_000);
          left -= messages.length;
          for (const taken of messages) {
            expect(taken.content === CONTENTS[Number(taken.id.slice(1))], taken.id).toBe(true);
            expect(headersOf(taken)).toEqual(Object.entries(headers ?? {}).sort());
          }
          await worker.done(lease, ...messages.map(({ id }) => id));
        }
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      },
    );

    it('come back through retries, followers, graves and lost leases', async () => {
      const [, worker] = await use.pair();
      const content = EVERY_CHARACTER;
      const headers = ODD_HEADERS;
      const same = (
        found: { content: string; headers?: Readonly<Record<string, string>> | undefined } | undefined,
      ) => {
        expect(found?.content === content).toBe(true);
        expect(headersOf(found)).toEqual(Object.entries(headers).sort());
      };
      await worker.put('a', 0, { content: '1' });
      const first = await worker.takeOne();
      await worker.put('a', 0, { content, headers, onDuplicate: 'replace' });
      await worker.done(first.lease, 'a');
      const second = await worker.takeOne();
      same(second.message);
      await worker.settle(second.lease, [{ id: 'a', verdict: 'retry', delayMs: 0, failed: true }]);
      await worker.reschedule('a', 0);
      same((await worker.takeOne()).message);
      use.clock.advance(3_600_000);
      const looked = await worker.claim();
      const fourth = looked.lease === undefined ? await worker.take() : { ...looked, lease: looked.lease };
      same(fourth.messages[0]);
      await worker.settle(fourth.lease, [
        { id: 'a', verdict: 'dead', reason: EVERY_CHARACTER, failed: true },
      ]);
      const dead = await find(worker, 'a');
      same(dead);
      expect(dead?.reason === EVERY_CHARACTER).toBe(true);
      await inspectorOf(worker.engine).redrive(REGION, ['a']);
      same((await worker.takeOne()).message);
    });

    it('of many large messages are claimed in parts, each once', async () => {
      const worker = await use.driver();
      const ids = Array.from({ length: 60 }, (_, i) => `m${i}`);
      const content = JSON.stringify('x'.repeat(65_000));
      for (const id of ids) await worker.put(id, 0, { content });
      const got: string[] = [];
      while (got.length < ids.length) {
        const { lease, messages } = await worker.take(1_000);
        expect(messages.every((each) => each.content === content)).toBe(true);
        got.push(...messages.map(({ id }) => id));
        await worker.done(lease, ...messages.map(({ id }) => id));
      }
      expect(got.sort()).toEqual(ids.sort());
      expect((await worker.claim()).lease).toBeUndefined();
    });

    it('larger than a whole claim still come, one at a time', async () => {
      const worker = await use.driver();
      const content = JSON.stringify('x'.repeat(3 * 1024 * 1024));
      await worker.putAll([message('a', 0, { content }), message('b', 0, { content })]);
      for (let i = 0; i < 2; i++) {
        const { messages } = await worker.take(10);
        expect(messages.length).toBeGreaterThan(0);
        if (messages.length === 2) break;
      }
      expect((await use.region()).ids.get('a')?.state).toBe('running');
      expect((await use.region()).ids.get('b')?.state).toBe('running');
    });
  });
}

const headersOf = (of: { headers?: Readonly<Record<string, string>> | undefined } | undefined) =>
  Object.entries(of?.headers ?? {}).sort();
