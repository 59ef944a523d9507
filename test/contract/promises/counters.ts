import { describe, expect, it } from 'vitest';
import { deliveredAgain } from '../support/recover.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

/** Deliveries, failures and crashes are counted apart. */
export function describeCounters(make: MakeStore): void {
  describe('counters', () => {
    const use = useStore(make);

    it('go their own ways through everything that can happen to a message', async () => {
      const [, worker] = await use.pair();
      await worker.put('a');
      const counts = { deliveries: 0, failures: 0, crashes: 0 };
      let { lease, message } = await worker.takeOne();

      const step = async (verdict: Parameters<typeof worker.settle>[1][number]) => {
        await worker.settle(lease, [verdict]);
        ({ lease, message } = await deliveredAgain(use.clock, worker, 'a'));
        expect(message, verdict.verdict).toMatchObject(counts);
      };
      const crash = async () => {
        ({ lease, message } = await deliveredAgain(use.clock, worker, 'a'));
        expect(message, 'crash').toMatchObject(counts);
      };

      expect(message).toMatchObject(counts);
      Object.assign(counts, { deliveries: 1, failures: 1 });
      await step({ id: 'a', verdict: 'retry', delayMs: 10, failed: true });
      counts.deliveries = 2;
      await step({ id: 'a', verdict: 'retry', delayMs: 10, failed: false });
      Object.assign(counts, { deliveries: 3, crashes: 1 });
      await crash();
      await step({ id: 'a', verdict: 'release', started: false });
      counts.deliveries = 4;
      await step({ id: 'a', verdict: 'release', started: true, delayMs: 10 });
      Object.assign(counts, { deliveries: 5, crashes: 2 });
      await crash();
      Object.assign(counts, { deliveries: 6, failures: 2 });
      await step({ id: 'a', verdict: 'retry', delayMs: 0, failed: true });

      await worker.settle(lease, [{ id: 'a', verdict: 'dead', reason: 'why', failed: true }]);
      expect(await use.stored('a')).toMatchObject({ deliveries: 7, failures: 3, crashes: 2 });
      await inspectorOf(worker.engine).redrive(REGION, ['a']);
      expect((await worker.takeOne()).message).toMatchObject({ deliveries: 7, failures: 0, crashes: 0 });
    });

    it('start anew with a new message of the same id', async () => {
      const worker = await use.driver();
      for (let round = 0; round < 2; round++) {
        await worker.put('a');
        const first = await worker.takeOne();
        expect(first.message).toMatchObject({ deliveries: 0, failures: 0, crashes: 0 });
        await worker.settle(first.lease, [{ id: 'a', verdict: 'retry', delayMs: 0, failed: true }]);
        const second = await worker.takeOne();
        expect(second.message).toMatchObject({ deliveries: 1, failures: 1 });
        await worker.done(second.lease, 'a');
      }
    });

    it('make (sentAt, deliveries) grow from delivery to delivery of one id, whatever replaces it', async () => {
      const worker = await use.driver();
      const seen: (readonly [number, number])[] = [];
      await worker.put('a');
      for (let i = 0; i < 12; i++) {
        const { lease, message } = await worker.takeOne();
        seen.push([message.sentAt, message.deliveries]);
        use.clock.advance(1);
        if (i % 3 === 1) await worker.put('a', 0, { onDuplicate: 'replace' });
        await worker.settle(lease, [{ id: 'a', verdict: 'retry', delayMs: 0, failed: true }]);
        if (i % 3 === 2) await worker.put('a', 0, { onDuplicate: 'replace' });
      }
      const sorted = [...seen].sort(([a, b], [c, d]) => a - c || b - d);
      expect(seen).toEqual(sorted);
      expect(new Set(seen.map(String)).size).toBe(seen.length);
    });
  });
}
