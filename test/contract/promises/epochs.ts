import { describe, expect, it } from 'vitest';
import { RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

/** A region never goes back behind an epoch that was shown to it. */
export function describeEpochs(make: MakeStore): void {
  describe('epochs', () => {
    const use = useStore(make);

    const atEpochs = async () => {
      const engine = await use.store.worker();
      return (epoch: number) => new RegionDriver(engine, REGION, epoch);
    };

    it.each(['put', 'cancel', 'reschedule'] as const)('are adopted from a %s', async (call) => {
      const at = await atEpochs();
      await at(3).put('a', 1_000);
      const newer = at(7);
      await {
        put: () => newer.put('b'),
        cancel: () => newer.cancel('x'),
        reschedule: () => newer.reschedule('x', 1),
      }[call]();
      expect((await use.region()).epoch).toBe(7);
      expect(await at(6).put('c')).toBe('moved');
      expect(await at(7).put('d', 5)).toEqual({ outcome: 'stored' });
      expect(await at(8).put('e', 5)).toEqual({ outcome: 'stored' });
    });

    it('older than the region make every look-up answer moved and change nothing', async () => {
      const at = await atEpochs();
      const now = at(9);
      await now.put('a', 1_000);
      await now.put('b');
      await now.takeOne();
      const before = await use.region();
      for (const epoch of [0, 1, 8]) {
        const old = at(epoch);
        expect(await old.put('c')).toBe('moved');
        expect(await old.put('a', 0, { onDuplicate: 'replace' })).toBe('moved');
        expect(await old.put('b', 0, { onDuplicate: 'replace' })).toBe('moved');
        expect(await old.cancel('a')).toBe('moved');
        expect(await old.cancel('b')).toBe('moved');
        expect(await old.reschedule('a', 5)).toBe('moved');
        expect(await inspectorOf(old.engine).find(REGION, 'a', { epoch })).toBe('moved');
      }
      expect(await use.region()).toEqual(before);
    });

    it('do not concern claims, settles and renewals', async () => {
      const at = await atEpochs();
      await at(9).put('a');
      const old = at(1);
      const { lease } = await old.takeOne();
      expect(await old.renew([lease])).toEqual([]);
      expect((await old.done(lease, 'a')).stale).toEqual([]);
    });

    it('larger than 32 bits are told apart', async () => {
      const at = await atEpochs();
      await at(2 ** 40 + 1).put('a', 1_000);
      expect(await at(2 ** 40).cancel('a')).toBe('moved');
      expect(await at(2 ** 40 + 2).cancel('a')).toBe('cancelled');
    });
  });
}
