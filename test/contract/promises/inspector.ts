import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { find, inspectorOf } from '../support/inspector.js';

/** Reading a region. */
export function describeInspector(make: MakeStore): void {
  describe('inspector', () => {
    const use = useStore(make);

    it('finds an id in every state', async () => {
      const worker = await use.driver();
      const extras = { content: '7', headers: { h: '1' } };
      expect(await find(worker, 'a')).toBeUndefined();
      const sentAt = use.clock.now();
      await worker.put('a', 5, extras);
      const waiting = { id: 'a', sentAt, deliveries: 0, failures: 0, crashes: 0, ...extras };
      expect(await find(worker, 'a')).toEqual({ ...waiting, state: 'waiting', dueAt: sentAt + 5 });
      use.clock.advance(5);
      const first = await worker.takeOne();
      expect(await find(worker, 'a')).toMatchObject({ ...waiting, state: 'running', dueAt: sentAt + 5 });
      await worker.settle(first.lease, [{ id: 'a', verdict: 'retry', delayMs: 10, failed: true }]);
      expect(await find(worker, 'a')).toMatchObject({
        state: 'waiting',
        dueAt: sentAt + 15,
        deliveries: 1,
        failures: 1,
      });
      use.clock.advance(10);
      const second = await worker.takeOne();
      await worker.settle(second.lease, [{ id: 'a', verdict: 'dead', reason: 'why', failed: false }]);
      expect(await find(worker, 'a')).toEqual({
        ...waiting,
        state: 'dead',
        dueAt: use.clock.now(),
        deliveries: 2,
        failures: 1,
        reason: 'why',
      });
    });

    it('finds a handled id for as long as it is refused', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'done' }], 1_000);
      expect(await find(worker, 'a')).toMatchObject({
        state: 'handled',
        dueAt: use.clock.now() + 1_000,
        content: '',
      });
      use.clock.advance(1_001);
      expect(await find(worker, 'a')).toBeUndefined();
    });

    it('counts', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      expect(await inspector.counts(REGION)).toEqual({ waiting: 0, due: 0, running: 0, dead: 0 });
      await worker.putAll(['a', 'b', 'c'].map((id) => message(id)));
      const { lease } = await worker.take();
      await worker.settle(lease, [{ id: 'a', verdict: 'dead', reason: '', failed: true }]);
      await worker.putAll([
        message('due'),
        message('later', 100),
        message('b', 5, { onDuplicate: 'replace' }),
      ]);
      expect(await inspector.counts(REGION)).toEqual({ waiting: 2, due: 1, running: 2, dead: 1 });
    });

    it('forecasts what is due soon', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      await worker.putAll([0, 10, 100, 1_000].map((delay) => message(`m${delay}`, delay)));
      for (const [within, count] of [
        [0, 1],
        [9, 1],
        [10, 2],
        [999, 3],
        [1e12, 4],
      ] as const) {
        expect(await inspector.dueSoon(REGION, within), `within ${within} ms`).toBe(count);
      }
    });

    it('pages through what waits, in order of time, each once', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      const count = 25;
      await worker.putAll(Array.from({ length: count }, (_, i) => message(`m${i}`, (i * 7) % count)));
      for (const limit of [1, 10, 24, 25, 26, 1_000]) {
        const seen: number[] = [];
        let from: number | undefined = 0;
        while (from !== undefined) {
          const page = await inspector.page(REGION, 'waiting', from, limit);
          expect(page.messages.length).toBeLessThanOrEqual(limit);
          seen.push(...page.messages.map(({ dueAt }) => dueAt - use.clock.now()));
          from = page.next;
        }
        expect(seen, `limit ${limit}`).toEqual(Array.from({ length: count }, (_, i) => i));
      }
    });

    it('pages through what runs and what is dead, with counts, headers and reasons', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      await worker.putAll(
        ['a', 'b', 'c', 'd'].map((id) => message(id, 0, { content: id, headers: { h: id } })),
      );
      const first = await worker.take(2);
      await worker.settle(
        first.lease,
        first.messages.map(({ id }) => ({ id, verdict: 'dead', reason: `of ${id}`, failed: true })),
      );
      const second = await worker.take(2);
      const dead = await inspector.page(REGION, 'dead', 0, 10);
      expect(dead.next).toBeUndefined();
      expect(dead.messages.map(({ id }) => id).sort()).toEqual(first.messages.map(({ id }) => id).sort());
      for (const { id, ...rest } of dead.messages) {
        expect(rest).toMatchObject({
          state: 'dead',
          content: id,
          headers: { h: id },
          reason: `of ${id}`,
          failures: 1,
        });
      }
      const running = await inspector.page(REGION, 'running', 0, 10);
      expect(running.messages.map(({ id }) => id).sort()).toEqual(second.messages.map(({ id }) => id).sort());
      for (const { id, ...rest } of running.messages) {
        expect(rest).toMatchObject({ state: 'running', content: id, headers: { h: id }, failures: 0 });
      }
      expect((await inspector.page(REGION, 'waiting', 0, 10)).messages).toEqual([]);
    });

    it('changes nothing by reading', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      await worker.putAll([message('a'), message('b', 9)]);
      await worker.takeOne();
      const before = await use.region();
      await inspector.counts(REGION);
      await inspector.dueSoon(REGION, 5);
      for (const state of ['waiting', 'running', 'dead'] as const) await inspector.page(REGION, state, 0, 10);
      for (const id of ['a', 'b', 'c']) await inspector.find(REGION, id, { epoch: 1 });
      expect(await use.region()).toEqual(before);
    });
  });
}
