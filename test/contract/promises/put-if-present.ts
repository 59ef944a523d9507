import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** `onlyIfPresent`: the put at a former home of an id, after the region count changed. */
export function describePutIfPresent(make: MakeStore): void {
  describe('put onlyIfPresent', () => {
    const use = useStore(make);

    it('stores nothing that is not there', async () => {
      const worker = await use.driver();
      const list = [message('a'), message('b', 5, { onDuplicate: 'replace' })];
      expect(await worker.putAll(list, true)).toEqual([{ outcome: 'absent' }, { outcome: 'absent' }]);
      expect((await use.region()).ids.size).toBe(0);
    });

    it('acts on waiting, running and dead ids as any put does, and on no other', async () => {
      const worker = await use.driver();
      await worker.putAll([message('dead'), message('runs', 1), message('waits', 1_000)]);
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'dead', verdict: 'dead', reason: 'why', failed: true }]);
      use.clock.advance(1);
      await worker.takeOne();
      const ids = ['waits', 'runs', 'dead', 'unknown'];
      expect(
        await worker.putAll(
          ids.map((id) => message(id, 9)),
          true,
        ),
      ).toEqual([
        { outcome: 'duplicate', state: 'waiting' },
        { outcome: 'duplicate', state: 'running' },
        { outcome: 'duplicate', state: 'dead' },
        { outcome: 'absent' },
      ]);
      expect(
        await worker.putAll(
          ids.map((id) => message(id, 9, { onDuplicate: 'replace', content: '"new"' })),
          true,
        ),
      ).toEqual([
        { outcome: 'replaced' },
        { outcome: 'queued' },
        { outcome: 'replaced' },
        { outcome: 'absent' },
      ]);
      expect(await use.stored('waits')).toMatchObject({ state: 'waiting', content: '"new"' });
      expect(await use.stored('runs')).toMatchObject({ state: 'running', next: { content: '"new"' } });
      expect(await use.stored('dead')).toMatchObject({ state: 'waiting', content: '"new"' });
    });

    it('finds a handled id within its dedupe window', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'done' }], 60_000);
      expect(await worker.putAll([message('a')], true)).toEqual([{ outcome: 'duplicate', state: 'handled' }]);
      use.clock.advance(60_000);
      expect(await worker.putAll([message('a')], true)).toEqual([{ outcome: 'absent' }]);
    });
  });
}
