import { describe, expect, it } from 'vitest';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** `reschedule` moves what waits and nothing else. */
export function describeReschedule(make: MakeStore): void {
  describe('reschedule', () => {
    const use = useStore(make);

    it.each([
      ['later', 100, 5_000],
      ['earlier', 5_000, 100],
      ['to now', 5_000, 0],
      ['by years', 100, 50 * 365 * 86_400_000],
    ])('moves a waiting message %s, counting from now', async (_, before, after) => {
      const worker = await use.driver();
      const sentAt = use.clock.now();
      await worker.put('a', before, { content: '7', headers: { h: '1' } });
      use.clock.advance(30);
      expect(await worker.reschedule('a', after)).toBe('rescheduled');
      const dueAt = use.clock.now() + after;
      if (after > 0) {
        use.clock.advance(after - 1);
        expect((await worker.claim()).messages).toEqual([]);
        use.clock.advance(1);
      }
      const { message } = await worker.takeOne();
      expect(message).toMatchObject({ id: 'a', dueAt, sentAt, content: '7', headers: { h: '1' } });
      expect((await worker.claim()).messages).toEqual([]);
    });

    it('moves to a moment, a past one meaning now', async () => {
      const worker = await use.driver();
      await worker.put('a', 10);
      const at = use.clock.now() + 123_456;
      expect(await worker.reschedule('a', { at })).toBe('rescheduled');
      expect(await use.stored('a')).toMatchObject({ dueAt: at, at });
      expect(await worker.reschedule('a', { at: 5 })).toBe('rescheduled');
      expect((await worker.takeOne()).message.dueAt).toBe(use.clock.now());
    });

    it('a hundred times leaves one message', async () => {
      const worker = await use.driver();
      await worker.put('a', 10);
      for (let i = 0; i < 100; i++) expect(await worker.reschedule('a', 1_000 - i)).toBe('rescheduled');
      use.clock.advance(901);
      await worker.takeOne();
      expect((await worker.claim()).messages).toEqual([]);
    });

    it('keeps the counts of a message that waits for its retry', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'retry', delayMs: 9_000, failed: true }]);
      expect(await worker.reschedule('a', 0)).toBe('rescheduled');
      expect((await worker.takeOne()).message).toMatchObject({ deliveries: 1, failures: 1 });
    });

    it('says why not, and changes nothing', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      expect(await worker.reschedule('a', 5)).toBe('running');
      await worker.settle(lease, [{ id: 'a', verdict: 'dead', reason: 'why', failed: true }]);
      const dead = await use.stored('a');
      expect(await worker.reschedule('a', 5)).toBe('dead');
      expect(await use.stored('a')).toEqual(dead);
      expect(await worker.reschedule('b', 5)).toBe('unknown');
      expect((await use.region()).ids.size).toBe(1);
    });
  });
}
