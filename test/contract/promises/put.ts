import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** What a put answers and leaves behind for ids that are not running. */
export function describePut(make: MakeStore): void {
  describe('put', () => {
    const use = useStore(make);

    it('stores a message with everything that was given', async () => {
      const worker = await use.driver();
      const sentAt = use.clock.now();
      const headers = { trace: 'abc', empty: '' };
      expect(await worker.put('a', 1_500, { content: '{"no":1}', headers })).toEqual({ outcome: 'stored' });
      use.clock.advance(1_500);
      const { messages } = await worker.take();
      expect(messages).toEqual([
        {
          id: 'a',
          content: '{"no":1}',
          headers,
          dueAt: sentAt + 1_500,
          sentAt,
          deliveries: 0,
          failures: 0,
          crashes: 0,
        },
      ]);
    });

    it('takes a moment instead of a delay', async () => {
      const worker = await use.driver();
      const at = use.clock.now() + 7_777;
      await worker.put('a', { at });
      use.clock.advance(7_776);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.advance(1);
      expect((await worker.takeOne()).message.dueAt).toBe(at);
    });

    it('takes a moment in the past for now', async () => {
      const worker = await use.driver();
      const now = use.clock.now();
      await worker.putAll([message('old', { at: now - 86_400_000 }), message('epoch', { at: 0 })]);
      const { messages } = await worker.take();
      expect(messages.map(({ id }) => id).sort()).toEqual(['epoch', 'old']);
      expect(messages.map(({ dueAt }) => dueAt)).toEqual([now, now]);
    });

    it('keeps a waiting message and says so', async () => {
      const worker = await use.driver();
      await worker.put('a', 100, { content: '1' });
      const before = await use.stored('a');
      use.clock.advance(10);
      expect(await worker.put('a', 0, { content: '2', headers: { x: 'y' } })).toEqual({
        outcome: 'duplicate',
        state: 'waiting',
      });
      expect(await use.stored('a')).toEqual(before);
    });

    it('replaces a waiting message whole: content, headers and due time, later or earlier', async () => {
      const worker = await use.driver();
      await worker.put('a', 100, { content: '1', headers: { x: 'y' } });
      for (const delay of [900, 50]) {
        const outcome = await worker.put('a', delay, { content: `${delay}`, onDuplicate: 'replace' });
        expect(outcome).toEqual({ outcome: 'replaced' });
        const dueAt = use.clock.now() + delay;
        expect(await use.stored('a')).toMatchObject({ content: `${delay}`, headers: {}, dueAt, at: dueAt });
      }
      use.clock.advance(49);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.advance(1);
      expect((await worker.takeOne()).message).toMatchObject({ id: 'a', content: '50' });
    });

    it('counts anew for what replaces a message that waits for its retry', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'retry', delayMs: 100, failed: true }]);
      expect(await worker.put('a', 0, { onDuplicate: 'replace' })).toEqual({ outcome: 'replaced' });
      expect((await worker.takeOne()).message).toMatchObject({ deliveries: 0, failures: 0, crashes: 0 });
    });

    it('keeps a dead letter, or replaces it', async () => {
      const worker = await use.driver();
      await worker.put('a', 0, { content: '1' });
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'dead', reason: 'why', failed: true }]);
      expect(await worker.put('a')).toEqual({ outcome: 'duplicate', state: 'dead' });
      expect(await use.state('a')).toBe('dead');
      expect(await worker.put('a', 0, { content: '2', onDuplicate: 'replace' })).toEqual({
        outcome: 'replaced',
      });
      const { message: again } = await worker.takeOne();
      expect(again).toMatchObject({ content: '2', failures: 0, crashes: 0 });
      await worker.done((await use.stored('a'))?.lease ?? '', 'a');
      expect((await use.region()).ids.size).toBe(0);
    });

    it('keeps a running message', async () => {
      const worker = await use.driver();
      await worker.put('a');
      await worker.takeOne();
      const before = await use.stored('a');
      expect(await worker.put('a', 5)).toEqual({ outcome: 'duplicate', state: 'running' });
      expect(await use.stored('a')).toEqual(before);
    });

    it('answers in order, each message for itself', async () => {
      const worker = await use.driver();
      await worker.putAll([message('waits', 1_000), message('runs')]);
      await worker.takeOne();
      const replace = { onDuplicate: 'replace' } as const;
      const outcomes = await worker.putAll([
        message('new'),
        message('waits', 5),
        message('runs', 5),
        message('new-2', 0, replace),
        message('other', 77, replace),
      ]);
      expect(outcomes).toEqual([
        { outcome: 'stored' },
        { outcome: 'duplicate', state: 'waiting' },
        { outcome: 'duplicate', state: 'running' },
        { outcome: 'stored' },
        { outcome: 'stored' },
      ]);
      expect(await worker.putAll([message('waits', 5, replace), message('runs', 5, replace)])).toEqual([
        { outcome: 'replaced' },
        { outcome: 'queued' },
      ]);
    });

    it('takes thousands at once, with many different delays', async () => {
      const worker = await use.driver();
      const list = Array.from({ length: 2_500 }, (_, i) => message(`m${i}`, (i * 37) % 400));
      const outcomes = await worker.putAll(list);
      expect(outcomes).toEqual(list.map(() => ({ outcome: 'stored' })));
      const { ids } = await use.region();
      for (const [i, { id }] of list.entries()) {
        expect(ids.get(id)?.dueAt).toBe(use.clock.now() + ((i * 37) % 400));
      }
      const again = await worker.putAll(list);
      expect(again).toEqual(list.map(() => ({ outcome: 'duplicate', state: 'waiting' })));
    });

    it('of nothing is nothing', async () => {
      const worker = await use.driver();
      expect(await worker.putAll([])).toEqual([]);
      expect((await use.region()).ids.size).toBe(0);
    });

    it('frees an id by settling or cancelling it', async () => {
      const worker = await use.driver();
      for (let round = 0; round < 3; round++) {
        expect(await worker.put('a')).toEqual({ outcome: 'stored' });
        const { lease, message: taken } = await worker.takeOne();
        expect(taken.deliveries).toBe(0);
        await worker.done(lease, 'a');
        expect(await worker.put('a', 50)).toEqual({ outcome: 'stored' });
        expect(await worker.cancel('a')).toBe('cancelled');
      }
      expect((await use.region()).ids.size).toBe(0);
    });
  });
}
