import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';

/** `cancel` is truthful. */
export function describeCancel(make: MakeStore): void {
  describe('cancel', () => {
    const use = useStore(make);

    it('takes a waiting message away for good', async () => {
      const worker = await use.driver();
      await worker.put('a', 10);
      expect(await worker.cancel('a')).toBe('cancelled');
      expect((await use.region()).ids.size).toBe(0);
      use.clock.advance(1_000_000);
      expect((await worker.claim()).messages).toEqual([]);
      expect(await worker.cancel('a')).toBe('unknown');
    });

    it('takes a due message that nobody has claimed', async () => {
      const worker = await use.driver();
      await worker.put('a');
      use.clock.advance(5_000);
      expect(await worker.cancel('a')).toBe('cancelled');
      expect((await worker.claim()).messages).toEqual([]);
    });

    it('takes a message that waits for its retry, with its counts', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'retry', delayMs: 100, failed: true }]);
      expect(await worker.cancel('a')).toBe('cancelled');
      expect((await use.region()).ids.size).toBe(0);
      await worker.put('a');
      expect((await worker.takeOne()).message).toMatchObject({ deliveries: 0, failures: 0 });
    });

    it('leaves a running message running', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      expect(await worker.cancel('a')).toBe('running');
      expect(await worker.done(lease, 'a')).toMatchObject({ stale: [] });
    });

    it('leaves a dead letter where it is', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'dead', reason: 'why', failed: true }]);
      expect(await worker.cancel('a')).toBe('dead');
      expect(await use.state('a')).toBe('dead');
    });

    it('tells each id of a list, in order', async () => {
      const worker = await use.driver();
      await worker.putAll([message('runs'), message('waits', 10)]);
      await worker.takeOne();
      const ids = ['unknown', 'waits', 'runs', 'waits'];
      expect(await worker.engine.cancel(REGION, ids, { epoch: 1 })).toEqual([
        'unknown',
        'cancelled',
        'running',
        'unknown',
      ]);
    });

    it('takes thousands at once', async () => {
      const worker = await use.driver();
      const ids = Array.from({ length: 2_500 }, (_, i) => `m${i}`);
      await worker.putAll(ids.map((id) => message(id, 10)));
      expect(await worker.engine.cancel(REGION, ids, { epoch: 1 })).toEqual(ids.map(() => 'cancelled'));
      expect((await use.region()).ids.size).toBe(0);
    });

    it('of nothing is nothing', async () => {
      const worker = await use.driver();
      expect(await worker.engine.cancel(REGION, [], { epoch: 1 })).toEqual([]);
    });
  });
}
