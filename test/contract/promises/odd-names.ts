import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

/** Ids that core lets through and that have broken other queues. Distinct, well formed, no control characters. */
export const ODD_IDS: readonly string[] = [
  ...[
    'a:b',
    ':',
    '::lock',
    'x:lease',
    '{x}',
    '}{',
    '{',
    '}',
    '{}',
    '*',
    '?',
    '[a]',
    'a*',
    '\\',
    '\\*',
    '^',
    '$',
  ],
  ...[
    ' ',
    '  ',
    ' a',
    'a ',
    '.',
    '..',
    '/',
    'a/b',
    '#',
    '%',
    '%d',
    '%s',
    '%%',
    '&',
    '=',
    ';',
    ',',
    '|',
    '~',
    '-',
    '--',
  ],
  ...[
    '"',
    "'",
    '`',
    '""',
    '\\"',
    '<b>',
    '-1',
    '+1',
    '0',
    '1',
    '00001',
    '1e3',
    '0x10',
    '1.0',
    'inf',
    '-inf',
    'nan',
  ],
  ...[
    '(1',
    '[1',
    '+',
    '(',
    'true',
    'false',
    'nil',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    '9007199254740993',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'length', '__index'],
  ...['due', 'message', 'held', 'NX', 'GT', 'LIMIT', 'WITHSCORES', 'BYSCORE', 'REV'],
  ...[
    'é',
    'e\u0301',
    'ﬁ',
    'fi',
    '\u03a9',
    '\u2126',
    '\u202eabc',
    '\ufeff',
    '\u200b',
    '\u00a0',
    '\u2028',
    '\uffff',
  ],
  ...['💥', '👨‍👩‍👧‍👦', '🇩🇪', '\u{10ffff}', '日本語', 'עברית', 'ß', 'SS', 'a\u0300\u0301\u0302'],
  ...['x'.repeat(256), 'é'.repeat(128), '💥'.repeat(64), ' '.repeat(256), '1'.repeat(256)],
];

/** Every id is only a name. */
export function describeOddNames(make: MakeStore): void {
  describe('odd ids', () => {
    const use = useStore(make);

    it('are all put, kept off, found, moved, cancelled, run, retried, buried and redriven as themselves', async () => {
      const worker = await use.driver();
      const { engine } = worker;
      const inspector = inspectorOf(engine);
      expect(new Set(ODD_IDS).size).toBe(ODD_IDS.length);
      const all = ODD_IDS.map((id) => message(id, 1_000));
      const sorted = [...ODD_IDS].sort();
      expect(await worker.putAll(all)).toEqual(all.map(() => ({ outcome: 'stored' })));
      expect(await worker.putAll(all)).toEqual(all.map(() => ({ outcome: 'duplicate', state: 'waiting' })));
      for (const { id, content } of all) {
        expect(await inspector.find(REGION, id, { epoch: 1 })).toMatchObject({
          id,
          content,
          state: 'waiting',
        });
        expect(await worker.reschedule(id, 2_000)).toBe('rescheduled');
      }
      expect(await engine.cancel(REGION, ODD_IDS, { epoch: 1 })).toEqual(ODD_IDS.map(() => 'cancelled'));
      expect((await use.region()).ids.size).toBe(0);

      await worker.putAll(all);
      use.clock.advance(1_000);
      const first = await worker.take(1_000);
      expect(first.messages.map(({ id }) => id).sort()).toEqual(sorted);
      for (const { id, content } of first.messages) expect(content).toBe(JSON.stringify(`content of ${id}`));
      await worker.putAll(all.map((each) => ({ ...each, onDuplicate: 'replace', content: each.id })));
      const { superseded } = await worker.settle(
        first.lease,
        ODD_IDS.map((id) => ({ id, verdict: 'retry', delayMs: 5, failed: true })),
      );
      expect([...superseded].sort()).toEqual(sorted);

      use.clock.advance(1_000);
      const second = await worker.take(1_000);
      for (const { id, content } of second.messages) expect(content).toBe(id);
      await worker.settle(
        second.lease,
        ODD_IDS.map((id) => ({ id, verdict: 'dead', reason: id, failed: true })),
      );
      const { messages: dead } = await inspector.page(REGION, 'dead', 0, 1_000);
      expect(dead.map(({ id }) => id).sort()).toEqual(sorted);
      for (const { id, reason } of dead) expect(reason).toBe(id);
      expect(await inspector.redrive(REGION, ODD_IDS)).toEqual(ODD_IDS.map(() => true));

      const third = await worker.take(1_000);
      expect(third.messages.map(({ id }) => id).sort()).toEqual(sorted);
      const verdicts = ODD_IDS.map((id) => ({ id, verdict: 'done' as const }));
      expect(await worker.settle(third.lease, verdicts, 1_000)).toEqual({ stale: [], superseded: [] });
      expect(await worker.putAll(all)).toEqual(all.map(() => ({ outcome: 'duplicate', state: 'handled' })));
      use.clock.advance(1_001);
      expect(await engine.cancel(REGION, ODD_IDS, { epoch: 1 })).toEqual(ODD_IDS.map(() => 'unknown'));
    });

    it('come back through a lost lease as themselves', async () => {
      const [, worker] = await use.pair();
      await worker.putAll(ODD_IDS.map((id) => message(id)));
      await worker.take(1_000);
      use.clock.advance(3_600_000);
      const found = new Set<string>();
      for (let look = 0; look < 10 && found.size < ODD_IDS.length; look++) {
        for (const { id, crashes } of (await worker.claim(1_000)).messages) {
          expect(crashes).toBe(1);
          found.add(id);
        }
      }
      expect([...found].sort()).toEqual([...ODD_IDS].sort());
    });
  });
}
