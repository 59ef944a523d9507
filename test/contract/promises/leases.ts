import { describe, expect, it } from 'vitest';
import { deliveredAgain, lookUntil } from '../support/recover.js';
import { LEASE_MS, message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** Renewal, expiry and recovery of leases. */
export function describeLeases(make: MakeStore): void {
  describe('leases', () => {
    const use = useStore(make);

    it('hold until the last millisecond', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      use.clock.advance(LEASE_MS - 1);
      expect(await two.claim()).toMatchObject({ messages: [], recovered: 0 });
      expect((await one.done(lease, 'a')).stale).toEqual([]);
    });

    it('of a dead worker are recovered by whoever looks next, within the lease and a second', async () => {
      const [one, two] = await use.pair();
      await one.putAll([message('a', 0, { content: '7', headers: { h: '1' } }), message('b')]);
      const sentAt = use.clock.now();
      await one.take();
      await use.kill(one);
      const { held, recovered } = await lookUntil(use.clock, two, (seen) => seen.held.length === 2, {
        withinMs: LEASE_MS + 1_000,
      });
      expect(use.clock.now()).toBeGreaterThanOrEqual(sentAt + LEASE_MS);
      expect(recovered).toBe(2);
      const again = held.find(({ message: { id } }) => id === 'a');
      expect(again?.message).toMatchObject({
        sentAt,
        content: '7',
        headers: { h: '1' },
        deliveries: 1,
        failures: 0,
        crashes: 1,
      });
      for (const {
        lease,
        message: { id },
      } of held)
        expect((await two.done(lease, id)).stale).toEqual([]);
      expect((await use.region()).ids.size).toBe(0);
    });

    it('are recovered by a worker that was not there when the other one died', async () => {
      const one = await use.driver();
      await one.put('a');
      await one.take();
      await use.kill(one);
      const late = await use.driver();
      const again = await deliveredAgain(use.clock, late, 'a', { withinMs: LEASE_MS + 1_000 });
      expect(again.message.crashes).toBe(1);
    });

    it('come back one after the other when many workers died', async () => {
      const [, survivor] = await use.pair();
      for (let i = 0; i < 12; i++) {
        const mortal = await use.driver();
        await mortal.putAll([message(`${i}/a`), message(`${i}/b`)]);
        await mortal.take();
        await use.kill(mortal);
      }
      const { held } = await lookUntil(use.clock, survivor, (seen) => seen.held.length === 24, {
        withinMs: LEASE_MS + 2_000,
      });
      expect(new Set(held.map(({ message: { id } }) => id)).size).toBe(24);
      expect(held.every(({ message: { crashes } }) => crashes === 1)).toBe(true);
    });

    it('live on by renewal, for as long as it goes on', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      for (let i = 0; i < 20; i++) {
        use.clock.advance(LEASE_MS / 3);
        expect(await one.renew([lease])).toEqual([]);
        expect((await use.region()).leases.get(lease)).toBe(use.clock.now() + LEASE_MS);
        expect(await two.claim()).toMatchObject({ messages: [], recovered: 0 });
      }
      expect((await one.done(lease, 'a')).stale).toEqual([]);
    });

    it('are renewed together, and to the time asked for', async () => {
      const worker = await use.driver();
      await worker.putAll([message('a'), message('b'), message('c')]);
      const leases = [
        (await worker.take(1)).lease,
        (await worker.take(1)).lease,
        (await worker.take(1)).lease,
      ];
      use.clock.advance(1_000);
      expect(await worker.renew(leases, 90_000)).toEqual([]);
      const stored = (await use.region()).leases;
      expect(leases.map((lease) => stored.get(lease))).toEqual(leases.map(() => use.clock.now() + 90_000));
    });

    it('past their time but not yet recovered come alive by renewal, and their settles count', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      use.clock.advance(LEASE_MS * 3);
      expect(await one.renew([lease])).toEqual([]);
      expect(await two.claim()).toMatchObject({ messages: [], recovered: 0 });
      expect((await one.done(lease, 'a')).stale).toEqual([]);
    });

    it('once lost are named by renewal and never come back', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      const again = await deliveredAgain(use.clock, two, 'a');
      const before = await use.region();
      expect(await one.renew([lease])).toEqual([lease]);
      expect(await use.region()).toEqual(before);
      expect([...before.leases.keys()]).toEqual([again.lease]);
    });

    it('that are lost, held, settled and unknown are told apart', async () => {
      const [one, two] = await use.pair();
      await one.put('lost');
      const lost = await one.takeOne();
      await deliveredAgain(use.clock, two, 'lost');
      await one.putAll([message('held'), message('settled')]);
      const held = await one.take(1);
      const settled = await one.take(1);
      for (const taken of [held, settled]) expect(taken.messages).toHaveLength(1);
      await one.done(settled.lease, ...settled.messages.map(({ id }) => id));
      const answer = await one.renew([lost.lease, held.lease, settled.lease, 'unknown.7']);
      expect([...answer].sort()).toEqual([lost.lease, settled.lease, 'unknown.7'].sort());
      expect((await use.region()).leases.has(held.lease)).toBe(true);
      expect((await use.region()).leases.size).toBe(2);
    });

    it('of nothing are renewed without an answer', async () => {
      const worker = await use.driver();
      expect(await worker.renew([])).toEqual([]);
    });

    it('that were lost change nothing by a late settle of any kind', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      const again = await deliveredAgain(use.clock, two, 'a');
      const before = await use.region();
      for (const verdict of ['done', 'retry', 'dead', 'release'] as const) {
        const late = { id: 'a', verdict, delayMs: 0, failed: true, started: true, reason: 'late' };
        expect(await one.settle(lease, [late])).toEqual({ stale: ['a'], superseded: [] });
        expect(await use.region()).toEqual(before);
      }
      expect((await two.done(again.lease, 'a')).stale).toEqual([]);
    });

    it('are given back whole, except for what was settled before', async () => {
      const [one, two] = await use.pair();
      await one.putAll([message('a'), message('b'), message('c')]);
      const { lease } = await one.take();
      await one.settle(lease, [
        { id: 'a', verdict: 'done' },
        { id: 'b', verdict: 'retry', delayMs: 10 * LEASE_MS, failed: true },
      ]);
      const { held, recovered } = await lookUntil(
        use.clock,
        two,
        (seen) => seen.recovered > 0 && seen.held.length > 0,
      );
      expect(recovered).toBe(1);
      expect(held.map(({ message: { id } }) => id)).toEqual(['c']);
      expect(await use.stored('b')).toMatchObject({ state: 'waiting', crashes: 0, failures: 1 });
    });

    it('hold through a clock that is set back', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      const { lease } = await one.takeOne();
      use.clock.step(-600_000);
      expect(await two.claim()).toMatchObject({ messages: [], recovered: 0 });
      expect(await one.renew([lease])).toEqual([]);
      expect((await use.region()).leases.get(lease)).toBe(use.clock.now() + LEASE_MS);
      expect(
        (await deliveredAgain(use.clock, two, 'a', { withinMs: LEASE_MS + 1_000 })).message.crashes,
      ).toBe(1);
    });
  });
}
