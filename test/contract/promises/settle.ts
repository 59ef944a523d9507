import type { Verdict } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

const done = (...ids: readonly string[]): Verdict[] => ids.map((id) => ({ id, verdict: 'done' }));

/** What each verdict does to a message that has no follower. */
export function describeSettle(make: MakeStore): void {
  describe('settle', () => {
    const use = useStore(make);

    it('done leaves nothing behind', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a', 0, { headers: { h: '1' } }), message('b')]);
      const { lease } = await worker.take();
      expect(await worker.done(lease, 'a', 'b')).toMatchObject({ stale: [], superseded: [] });
      const { ids, leases } = await use.region();
      expect([ids.size, leases.size]).toEqual([0, 0]);
    });

    it('retry makes it due again after the delay and counts a delivery, and a failure where it failed', async () => {
      const worker = await use.driver();
      const sentAt = use.clock.now();
      await worker.put('a', 0, { content: '7', headers: { h: '1' } });
      const expected = { deliveries: 0, failures: 0 };
      for (const failed of [true, false, true]) {
        use.clock.advance(5);
        const { lease, message: taken } = await worker.takeOne();
        expect(taken).toMatchObject(expected);
        const settled = await worker.settle(lease, [{ id: 'a', verdict: 'retry', delayMs: 250, failed }]);
        const dueAt = use.clock.now() + 250;
        expect(settled).toEqual({ stale: [], superseded: [], lookAt: dueAt });
        expected.deliveries += 1;
        expected.failures += failed ? 1 : 0;
        use.clock.advance(249);
        expect((await worker.claim()).messages).toEqual([]);
        use.clock.advance(1);
        expect(await use.stored('a')).toMatchObject({
          ...expected,
          dueAt,
          sentAt,
          content: '7',
          headers: { h: '1' },
        });
      }
      expect((await worker.takeOne()).message.dueAt).toBe(use.clock.now());
    });

    it('dead makes a dead letter with its reason, its content and its counts', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a', 0, { content: '7', headers: { h: '1' } }), message('b')]);
      const { lease } = await worker.take();
      const reason = 'Error: "quoted" {braces} — ünï 💥\nat line 2';
      await worker.settle(lease, [
        { id: 'a', verdict: 'dead', reason, failed: true },
        { id: 'b', verdict: 'dead', reason: '', failed: false },
      ]);
      expect(await use.stored('a')).toMatchObject({
        state: 'dead',
        at: use.clock.now(),
        reason,
        content: '7',
        headers: { h: '1' },
        deliveries: 1,
        failures: 1,
      });
      expect(await use.stored('b')).toMatchObject({ state: 'dead', reason: '', deliveries: 1, failures: 0 });
      use.clock.advance(1e9);
      expect((await worker.claim()).messages).toEqual([]);
    });

    it.each([
      { started: false, deliveries: 0 },
      { started: true, deliveries: 1 },
    ])('release gives it back as it was, started: $started', async ({ started, deliveries }) => {
      const worker = await use.driver();
      await worker.put('a', 40, { content: '7' });
      const dueAt = use.clock.now() + 40;
      use.clock.advance(100);
      const { lease } = await worker.takeOne();
      use.clock.advance(10);
      const settled = await worker.settle(lease, [{ id: 'a', verdict: 'release', started }]);
      expect(settled).toMatchObject({ stale: [], superseded: [] });
      expect(settled.lookAt).toBeLessThanOrEqual(use.clock.now());
      expect((await worker.takeOne()).message).toMatchObject({
        id: 'a',
        dueAt,
        content: '7',
        deliveries,
        failures: 0,
        crashes: 0,
      });
    });

    it('release can hold it back for a while', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      await worker.settle(lease, [{ id: 'a', verdict: 'release', started: false, delayMs: 30_000 }]);
      use.clock.advance(29_999);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.advance(1);
      expect((await worker.takeOne()).message).toMatchObject({ deliveries: 0, failures: 0, crashes: 0 });
    });

    it('applies a list of all verdicts, each to its message, and keeps the rest held', async () => {
      const worker = await use.driver();
      await worker.putAll(['done', 'retry', 'dead', 'release', 'kept'].map((id) => message(id)));
      const { lease } = await worker.take();
      await worker.settle(lease, [
        { id: 'release', verdict: 'release', started: true },
        { id: 'done', verdict: 'done' },
        { id: 'dead', verdict: 'dead', reason: 'r', failed: true },
        { id: 'retry', verdict: 'retry', delayMs: 5, failed: true },
      ]);
      const { ids, leases } = await use.region();
      expect([...ids].map(([id, { state }]) => [id, state]).sort()).toEqual([
        ['dead', 'dead'],
        ['kept', 'running'],
        ['release', 'waiting'],
        ['retry', 'waiting'],
      ]);
      expect([...leases.keys()]).toEqual([lease]);
      await worker.done(lease, 'kept');
      expect((await use.region()).leases.size).toBe(0);
    });

    it('names what the lease does not hold, and leaves it alone', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b'), message('waits', 1_000)]);
      const mine = await worker.take(1);
      const other = await worker.take(1);
      const [mineId, otherId] = [mine.messages[0]?.id ?? '', other.messages[0]?.id ?? ''];
      const before = await use.region();
      const foreign: Verdict[] = [otherId, 'waits', 'unknown'].map((id) => ({
        id,
        verdict: 'retry',
        delayMs: 1,
        failed: true,
      }));
      const settled = await worker.settle(mine.lease, foreign);
      expect(settled).toEqual({ stale: [otherId, 'waits', 'unknown'], superseded: [] });
      expect(await use.region()).toEqual(before);
      expect((await worker.settle('no-such-lease', [{ id: mineId, verdict: 'done' }])).stale).toEqual([
        mineId,
      ]);
      expect(await use.region()).toEqual(before);
    });

    it('twice changes nothing the second time, whatever became of the id', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const first = await worker.takeOne();
      await worker.done(first.lease, 'a');
      await worker.put('a', 0, { content: '"second"' });
      const second = await worker.takeOne();
      const before = await use.region();
      for (const verdict of ['done', 'dead', 'retry', 'release'] as const) {
        const late = { id: 'a', verdict, reason: 'late', delayMs: 1, failed: true, started: true };
        expect(await worker.settle(first.lease, [late])).toEqual({ stale: ['a'], superseded: [] });
      }
      expect(await use.region()).toEqual(before);
      expect((await worker.done(second.lease, 'a')).stale).toEqual([]);
    });

    it('takes thousands at once', async () => {
      const worker = await use.driver();
      const ids = Array.from({ length: 2_500 }, (_, i) => `m${i}`);
      await worker.putAll(ids.map((id) => message(id)));
      const held = new Map<string, string>();
      while (held.size < ids.length) {
        const { lease, messages } = await worker.take(2_500);
        for (const { id } of messages) held.set(id, lease);
        const verdicts = messages.map(({ id }): Verdict => ({
          id,
          verdict: 'retry',
          delayMs: 60_000,
          failed: true,
        }));
        expect((await worker.settle(lease, verdicts)).stale).toEqual([]);
      }
      use.clock.advance(60_000);
      for (let left = ids.length; left > 0;) {
        const { lease, messages } = await worker.take(2_500);
        left -= messages.length;
        expect(messages.every(({ failures }) => failures === 1)).toBe(true);
        expect((await worker.done(lease, ...messages.map(({ id }) => id))).stale).toEqual([]);
      }
      expect((await use.region()).ids.size).toBe(0);
    });

    it.each([[0], [60_000]])(
      'of everything a lease holds leaves nothing behind (dedupe %j ms)',
      async (dedupeMs) => {
        const worker = await use.driver();
        const other = await use.driver();
        await worker.putAll([message('a'), message('b'), message('c')]);
        const { lease } = await worker.take(2);
        const { lease: kept } = await other.takeOne();
        await other.put('b', 5_000, { onDuplicate: 'replace' });
        const options = { dedupeMs, whole: true };
        expect(await worker.engine.settle(worker.region, lease, done('a', 'b'), options)).toMatchObject({
          stale: [],
        });
        const { ids, leases } = await use.region();
        expect([...ids.keys()].sort()).toEqual(dedupeMs === 0 ? ['b', 'c'] : ['a', 'b', 'c']);
        expect([ids.get('a')?.state, ids.get('b')?.state]).toEqual([
          dedupeMs === 0 ? undefined : 'handled',
          'waiting',
        ]);
        expect([...leases.keys()]).toEqual([kept]);
      },
    );

    it('of everything a lease should hold settles what it does hold, and names the rest', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b'), message('c')]);
      const { lease } = await worker.take(3);
      await worker.settle(lease, [{ id: 'b', verdict: 'release', started: false }]);
      const settle = () =>
        worker.engine.settle(worker.region, lease, done('a', 'b', 'c'), { dedupeMs: 0, whole: true });
      expect(await settle()).toMatchObject({ stale: ['b'] });
      expect(await use.stored('b')).toMatchObject({ state: 'waiting' });
      expect(await settle()).toMatchObject({ stale: ['a', 'b', 'c'] });
      expect([...(await use.region()).ids.keys()]).toEqual(['b']);
    });

    it('of nothing changes nothing', async () => {
      const worker = await use.driver();
      await worker.put('a');
      const { lease } = await worker.takeOne();
      const before = await use.region();
      expect(await worker.settle(lease, [])).toEqual({ stale: [], superseded: [] });
      expect(await use.region()).toEqual(before);
    });
  });
}
