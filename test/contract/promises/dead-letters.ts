import { describe, expect, it } from 'vitest';
import { inspectorOf } from '../support/inspector.js';
import { deliveredAgain } from '../support/recover.js';
import { message, type RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';

/** Dead letters can be driven again or thrown away. */
export function describeDeadLetters(make: MakeStore): void {
  describe('dead letters', () => {
    const use = useStore(make);

    const bury = async (worker: RegionDriver, ...ids: readonly string[]) => {
      await worker.putAll(ids.map((id) => message(id, 0, { headers: { h: id } })));
      const { lease } = await worker.take();
      await worker.settle(
        lease,
        ids.map((id) => ({ id, verdict: 'dead', reason: 'why', failed: true })),
      );
    };

    it('redriven are due now, with failures and crashes counted anew and deliveries going on', async () => {
      const [, worker] = await use.pair();
      await worker.put('a', 0, { content: '7', headers: { h: '1' } });
      const sentAt = use.clock.now();
      await worker.takeOne();
      const crashed = await deliveredAgain(use.clock, worker, 'a');
      const verdict = { id: 'a', verdict: 'dead', reason: 'why', failed: true } as const;
      await worker.settle(crashed.lease, [verdict]);
      expect(await use.stored('a')).toMatchObject({ deliveries: 2, failures: 1, crashes: 1 });
      use.clock.advance(1_000);
      expect(await inspectorOf(worker.engine).redrive(REGION, ['a'])).toEqual([true]);
      const now = use.clock.now();
      expect(await use.stored('a')).toMatchObject({ state: 'waiting', at: now, dueAt: now });
      const { lease, message: taken } = await worker.takeOne();
      expect(taken).toEqual({
        id: 'a',
        dueAt: now,
        sentAt,
        content: '7',
        headers: { h: '1' },
        deliveries: 2,
        failures: 0,
        crashes: 0,
      });
      await worker.done(lease, 'a');
      expect((await use.region()).ids.size).toBe(0);
    });

    it('are redriven and discarded one by one, with an answer for each', async () => {
      const worker = await use.driver();
      await bury(worker, 'a', 'b', 'c');
      await worker.put('waits', 1_000);
      const inspector = inspectorOf(worker.engine);
      expect(await inspector.redrive(REGION, ['waits', 'a', 'unknown'])).toEqual([false, true, false]);
      expect(await inspector.discard(REGION, ['b', 'a', 'waits', 'unknown'])).toEqual([
        true,
        false,
        false,
        false,
      ]);
      const { ids } = await use.region();
      expect([...ids].map(([id, { state }]) => [id, state]).sort()).toEqual([
        ['a', 'waiting'],
        ['c', 'dead'],
        ['waits', 'waiting'],
      ]);
      expect(await inspector.redrive(REGION, ['a'])).toEqual([false]);
    });

    it('are redriven and discarded by the thousand', async () => {
      const worker = await use.driver();
      const ids = Array.from({ length: 2_400 }, (_, i) => `m${i}`);
      for (let from = 0; from < ids.length; from += 100) await bury(worker, ...ids.slice(from, from + 100));
      const inspector = inspectorOf(worker.engine);
      expect(await inspector.redrive(REGION, ids.slice(0, 1_200))).toEqual(
        ids.slice(0, 1_200).map(() => true),
      );
      expect(await inspector.discard(REGION, ids)).toEqual(ids.map((_, i) => i >= 1_200));
      expect(await inspector.counts(REGION)).toMatchObject({ waiting: 1_200, due: 1_200, dead: 0 });
    });

    it('of nothing are nothing', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      expect(await inspector.redrive(REGION, [])).toEqual([]);
      expect(await inspector.discard(REGION, [])).toEqual([]);
    });
  });
}
