import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import { scaled } from '../support/scale.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** Crowds that fall due together. */
export function describeBursts(make: MakeStore): void {
  describe('bursts', () => {
    const use = useStore(make);

    it(
      '100,000 messages of one due time are each claimed once, by workers that claim at once',
      { timeout: 120_000 },
      async () => {
        const sender = await use.driver();
        const workers = [sender, await use.driver(), await use.driver()];
        const all = scaled(100_000, 2_000);
        for (let from = 0; from < all; from += 4_000) {
          const batches = Array.from({ length: 8 }, (_, b) =>
            Array.from({ length: Math.max(0, Math.min(500, all - from - 500 * b)) }, (_, i) =>
              message(`m${from + 500 * b + i}`, 1_000),
            ),
          );
          await Promise.all(batches.map((batch) => sender.putAll(batch)));
        }
        use.clock.advance(999);
        expect((await sender.claim()).messages).toEqual([]);
        use.clock.advance(1);
        const got = new Set<string>();
        let deliveries = 0;
        await Promise.all(
          workers.map(async (worker, w) => {
            for (;;) {
              const { lease, messages } = await worker.claim([1_000, 200, 777][w] ?? 100);
              if (lease === undefined) return;
              deliveries += messages.length;
              for (const { id } of messages) got.add(id);
              const { stale } = await worker.done(lease, ...messages.map(({ id }) => id));
              expect(stale).toEqual([]);
            }
          }),
        );
        expect([deliveries, got.size]).toEqual([all, all]);
        expect((await use.region()).ids.size).toBe(0);
      },
    );

    it.each([7_998, 7_999, 8_000, 20_000])(
      'a claim may ask for %i at once',
      { timeout: 60_000 },
      async (count) => {
        const worker = await use.driver();
        for (let from = 0; from < count; from += 1_000) {
          const length = Math.min(1_000, count - from);
          await worker.putAll(Array.from({ length }, (_, i) => message(`m${from + i}`)));
        }
        const got = new Set<string>();
        while (got.size < count) {
          const { lease, messages } = await worker.take(count);
          for (const { id } of messages) got.add(id);
          await worker.done(lease, ...messages.map(({ id }) => id));
        }
        expect((await use.region()).ids.size).toBe(0);
      },
    );

    it('thousands held by one dead worker come back', { timeout: 60_000 }, async () => {
      const [one, two] = await use.pair();
      const ids = Array.from({ length: 9_000 }, (_, i) => `m${i}`);
      for (let from = 0; from < ids.length; from += 1_000) {
        await one.putAll(ids.slice(from, from + 1_000).map((id) => message(id)));
      }
      for (let held = 0; held < ids.length;)
        held += (await one.take(9_000, { leaseMs: 15_000 })).messages.length;
      use.clock.advance(16_000);
      const got = new Set<string>();
      for (let look = 0; look < 1_000 && got.size < ids.length; look++) {
        const { lease, messages } = await two.claim(9_000, { leaseMs: 3_600_000 });
        for (const { id, crashes } of messages) {
          expect(crashes).toBe(1);
          got.add(id);
        }
        if (lease !== undefined) await two.done(lease, ...messages.map(({ id }) => id));
      }
      expect(got.size).toBe(ids.length);
      expect((await use.region()).ids.size).toBe(0);
    });
  });
}
