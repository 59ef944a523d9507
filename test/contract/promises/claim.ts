import { describe, expect, it } from 'vitest';
import { LEASE_MS, message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** What a claim takes, in which order, and what it says. */
export function describeClaim(make: MakeStore): void {
  describe('claim', () => {
    const use = useStore(make);

    it('of an empty region is empty', async () => {
      const worker = await use.driver();
      const claim = await worker.claim();
      expect(claim).toMatchObject({ messages: [], unreadable: [], paused: false, recovered: 0, dead: [] });
      expect(claim.now).toBe(use.clock.now());
      expect(claim.lease).toBeUndefined();
      expect(claim.lookAt).toBeUndefined();
    });

    it('takes nothing one millisecond early, and everything once when due', async () => {
      const worker = await use.driver();
      await worker.put('a', 1_000);
      use.clock.advance(999);
      const early = await worker.claim();
      expect(early).toMatchObject({ messages: [] });
      expect(early.lease).toBeUndefined();
      use.clock.advance(1);
      expect((await worker.takeOne()).message.id).toBe('a');
      expect((await worker.claim()).messages).toEqual([]);
    });

    it('takes the earliest first, never more than asked for', async () => {
      const worker = await use.driver();
      await worker.putAll([4, 2, 5, 1, 3].map((n) => message(`m${n}`, n)));
      use.clock.advance(10);
      expect((await worker.take(2)).messages.map(({ id }) => id)).toEqual(['m1', 'm2']);
      expect((await worker.take(1)).messages.map(({ id }) => id)).toEqual(['m3']);
      expect((await worker.take(9)).messages.map(({ id }) => id)).toEqual(['m4', 'm5']);
    });

    it('holds what it took under a lease of its own, for the time asked for', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b')]);
      const first = await worker.take(1);
      const second = await worker.take(1, { leaseMs: 5_000 });
      expect(first.lease).not.toBe(second.lease);
      const { leases, ids } = await use.region();
      expect(leases).toEqual(
        new Map([
          [first.lease, use.clock.now() + LEASE_MS],
          [second.lease, use.clock.now() + 5_000],
        ]),
      );
      expect(first.messages.map(({ id }) => ids.get(id)?.lease)).toEqual([first.lease]);
      expect(second.messages.map(({ id }) => ids.get(id)?.lease)).toEqual([second.lease]);
    });

    it('never uses a lease twice, not across workers either', async () => {
      const workers = [await use.driver(), await use.driver(), await use.driver()];
      const seen = new Set<string>();
      for (let round = 0; round < 60; round++) {
        const worker = workers[round % 3] ?? (await use.driver());
        await worker.put('a');
        const { lease } = await worker.takeOne();
        expect(seen.has(lease)).toBe(false);
        seen.add(lease);
        await worker.done(lease, 'a');
      }
    });

    it('tells equal due times apart by nothing but gives each once', async () => {
      const [one, two] = [await use.driver(), await use.driver()];
      const ids = Array.from({ length: 300 }, (_, i) => `m${i}`);
      await one.putAll(ids.map((id) => message(id, 77)));
      use.clock.advance(77);
      const got: string[] = [];
      for (let i = 0; i < 30; i++) {
        const { messages } = await (i % 2 ? one : two).take(10);
        got.push(...messages.map(({ id }) => id));
      }
      expect(got.sort()).toEqual(ids.sort());
      expect((await one.claim()).lease).toBeUndefined();
    });

    it('is not confused by a clock that is set back', async () => {
      const worker = await use.driver();
      await worker.put('a', 100);
      use.clock.advance(100);
      use.clock.step(-3_600_000);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.step(3_600_000 - 1);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.step(1);
      expect((await worker.takeOne()).message.id).toBe('a');
    });

    it('is not confused by a clock that is set far ahead and back again', async () => {
      const worker = await use.driver();
      const year = 365 * 86_400_000;
      await worker.putAll([message('a', 1_000), message('b', 2 * year)]);
      use.clock.step(year);
      await worker.put('c', 50);
      await worker.done((await worker.takeOne()).lease, 'a');
      use.clock.step(-year);
      await worker.put('d', 7);
      expect((await worker.claim()).messages).toEqual([]);
      for (const [step, id] of [
        [7, 'd'],
        [year + 43, 'c'],
        [year, 'b'],
      ] as const) {
        use.clock.step(step);
        const { lease, message: taken } = await worker.takeOne();
        expect(taken.id).toBe(id);
        await worker.done(lease, id);
      }
    });
  });
}
