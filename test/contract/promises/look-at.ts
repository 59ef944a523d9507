import { describe, expect, it } from 'vitest';
import { LEASE_MS, message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

/** When a claim and a settle ask for the next look. Too early costs a command, too late costs lateness. */
export function describeLookAt(make: MakeStore): void {
  describe('look-next', () => {
    const use = useStore(make);

    it('is the earliest due time while nothing is held', async () => {
      const worker = await use.driver();
      const now = use.clock.now();
      await worker.putAll([message('a', 7_000), message('b', 3_000), message('c', 86_400_000_000)]);
      expect((await worker.claim()).lookAt).toBe(now + 3_000);
      await worker.cancel('b');
      expect((await worker.claim()).lookAt).toBe(now + 7_000);
      await worker.cancel('a');
      expect((await worker.claim()).lookAt).toBe(now + 86_400_000_000);
      await worker.cancel('c');
      expect((await worker.claim()).lookAt).toBeUndefined();
    });

    it('is now while more is due', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b')]);
      expect((await worker.claim(1)).lookAt).toBeLessThanOrEqual(use.clock.now());
    });

    it('is the next due time beside what was claimed', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b', 4_321)]);
      expect((await worker.claim()).lookAt).toBe(use.clock.now() + 4_321);
    });

    it('is the expiry of the oldest lease, or half a second later, when that comes first', async () => {
      const [one, two] = await use.pair();
      await one.putAll([message('a'), message('later', 10 * LEASE_MS)]);
      const { lease } = await one.takeOne();
      const expiry = use.clock.now() + LEASE_MS;
      for (const worker of [one, two]) {
        use.clock.advance(5);
        const { lookAt } = await worker.claim();
        expect(lookAt).toBeGreaterThanOrEqual(expiry);
        expect(lookAt).toBeLessThanOrEqual(expiry + 500);
      }
      await one.renew([lease], 20 * LEASE_MS);
      expect((await two.claim()).lookAt).toBe(expiry + 9 * LEASE_MS);
    });

    it('of a settle is when its earliest message is due, and absent when it made none due', async () => {
      const worker = await use.driver();
      await worker.putAll(['a', 'b', 'c', 'd', 'e'].map((id) => message(id)));
      const { lease } = await worker.take();
      expect((await worker.done(lease, 'a')).lookAt).toBeUndefined();
      expect(
        (await worker.settle(lease, [{ id: 'b', verdict: 'dead', reason: 'r', failed: true }])).lookAt,
      ).toBeUndefined();
      const { lookAt } = await worker.settle(lease, [
        { id: 'c', verdict: 'retry', delayMs: 9_000, failed: true },
        { id: 'd', verdict: 'retry', delayMs: 4_000, failed: true },
        { id: 'e', verdict: 'release', started: false, delayMs: 5_000 },
      ]);
      expect(lookAt).toBe(use.clock.now() + 4_000);
    });

    it('never misses what becomes due, whatever happens in between', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a', 1_000), message('b', 2_000), message('c', 3_000)]);
      await worker.reschedule('c', 500);
      await worker.cancel('a');
      await worker.put('b', 700, { onDuplicate: 'replace' });
      expect((await worker.claim()).lookAt).toBe(use.clock.now() + 500);
      use.clock.advance(500);
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'c', verdict: 'dead', reason: 'r', failed: true }]);
      expect((await worker.claim()).lookAt).toBe(use.clock.now() + 200);
      await inspectorOf(worker.engine).redrive(REGION, ['c']);
      expect((await worker.takeOne()).message.id).toBe('c');
    });
  });
}
