import { describe, expect, it } from 'vitest';
import { message, type RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** Ids of handled messages that stay refused for a while. */
export function describeDedupe(make: MakeStore): void {
  describe('dedupe', () => {
    const use = useStore(make);

    const handle = async (worker: RegionDriver, id: string, dedupeMs: number) => {
      await worker.put(id);
      const { lease } = await worker.takeOne();
      expect(await worker.settle(lease, [{ id, verdict: 'done' }], dedupeMs)).toEqual({
        stale: [],
        superseded: [],
      });
    };

    it('refuses a handled id until the window is over, by keep and by replace', async () => {
      const worker = await use.driver();
      await handle(worker, 'a', 1_000);
      expect(await use.stored('a')).toMatchObject({ state: 'handled', at: use.clock.now() + 1_000 });
      for (const onDuplicate of ['keep', 'replace'] as const) {
        const refused = await worker.put('a', 0, { onDuplicate });
        expect(refused).toEqual({ outcome: 'duplicate', state: 'handled' });
      }
      use.clock.advance(999);
      expect(await worker.put('a')).toEqual({ outcome: 'duplicate', state: 'handled' });
      use.clock.advance(2);
      expect(await worker.put('a')).toEqual({ outcome: 'stored' });
      expect((await worker.takeOne()).message).toMatchObject({ id: 'a', deliveries: 0 });
    });

    it('tells cancel and reschedule that it was handled, until the window is over', async () => {
      const worker = await use.driver();
      await handle(worker, 'a', 1_000);
      expect(await worker.cancel('a')).toBe('handled');
      expect(await worker.reschedule('a', 5)).toBe('handled');
      expect(await use.state('a')).toBe('handled');
      use.clock.advance(1_001);
      expect(await worker.cancel('a')).toBe('unknown');
      expect(await worker.reschedule('a', 5)).toBe('unknown');
    });

    it('is for done messages only', async () => {
      const worker = await use.driver();
      await worker.putAll(['retry', 'dead', 'release'].map((id) => message(id)));
      const { lease } = await worker.take();
      await worker.settle(
        lease,
        [
          { id: 'retry', verdict: 'retry', delayMs: 1, failed: true },
          { id: 'dead', verdict: 'dead', reason: 'r', failed: true },
          { id: 'release', verdict: 'release', started: true },
        ],
        60_000,
      );
      expect((await worker.put('retry')) as object).toEqual({ outcome: 'duplicate', state: 'waiting' });
      expect(await worker.put('dead')).toEqual({ outcome: 'duplicate', state: 'dead' });
      expect(await worker.put('release')).toEqual({ outcome: 'duplicate', state: 'waiting' });
    });

    it('of nothing leaves the id free', async () => {
      const worker = await use.driver();
      await handle(worker, 'a', 0);
      expect((await use.region()).ids.size).toBe(0);
      expect(await worker.put('a')).toEqual({ outcome: 'stored' });
    });

    it('is not granted by a settle that came too late', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'release', started: false }]);
      expect((await worker.settle(lease, [{ id: 'a', verdict: 'done' }], 60_000)).stale).toEqual(['a']);
      expect(await use.state('a')).toBe('waiting');
    });

    it('forgets ids whose window is over, faster than new ones come', async () => {
      const worker = await use.driver();
      for (let wave = 0; wave < 6; wave++) {
        await worker.putAll(Array.from({ length: 50 }, (_, i) => message(`${wave}/${i}`)));
        const { lease, messages } = await worker.take();
        const verdicts = messages.map(({ id }) => ({ id, verdict: 'done' as const }));
        await worker.settle(lease, verdicts, 1_000);
        use.clock.advance(1_001);
      }
      expect((await use.region()).ids.size).toBeLessThanOrEqual(50);
    });
  });
}
