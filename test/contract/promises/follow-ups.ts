import type { Verdict } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { deliveredAgain, lookUntil } from '../support/recover.js';
import { message, type PutExtras, type RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

const FOLLOWER: PutExtras = { content: '"follower"', headers: { v: '2' }, onDuplicate: 'replace' };

const VERDICTS: readonly Verdict[] = [
  { id: 'a', verdict: 'done' },
  { id: 'a', verdict: 'retry', delayMs: 60_000, failed: true },
  { id: 'a', verdict: 'dead', reason: 'why', failed: true },
  { id: 'a', verdict: 'release', started: true },
  { id: 'a', verdict: 'release', started: false, delayMs: 60_000 },
];

/** A replacement of a running message: it waits for the run to end, then it is the message. */
export function describeFollowUps(make: MakeStore): void {
  describe('a follower', () => {
    const use = useStore(make);

    const runWithFollower = async (worker: RegionDriver, delay = 500, extras = FOLLOWER) => {
      await worker.put('a', 0, { content: '"first"', headers: { v: '1' } });
      const { lease } = await worker.takeOne();
      expect(await worker.put('a', delay, extras)).toEqual({ outcome: 'queued' });
      return lease;
    };

    it('does not run beside the one that runs', async () => {
      const worker = await use.driver();
      await runWithFollower(worker, 0);
      use.clock.advance(10_000);
      expect((await worker.claim()).messages).toEqual([]);
      expect(await use.stored('a')).toMatchObject({
        state: 'running',
        content: '"first"',
        next: { content: '"follower"', headers: { v: '2' } },
      });
    });

    it.each(VERDICTS)('takes over after $verdict, at its own due time, as a new message', async (verdict) => {
      const worker = await use.driver();
      const sentAt = use.clock.now();
      const lease = await runWithFollower(worker);
      use.clock.advance(100);
      const settled = await worker.settle(lease, [verdict], 60_000);
      expect(settled).toEqual({
        stale: [],
        superseded: verdict.verdict === 'done' ? [] : ['a'],
        lookAt: sentAt + 500,
      });
      use.clock.advance(399);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.advance(1);
      const { message: taken } = await worker.takeOne();
      expect(taken).toMatchObject({
        content: '"follower"',
        headers: { v: '2' },
        dueAt: sentAt + 500,
        sentAt,
      });
      expect(taken).toMatchObject({ failures: 0, crashes: 0 });
      expect((await use.region()).ids.size).toBe(1);
    });

    it('that is due already runs at once when the run is over', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker, 10);
      use.clock.advance(1_000);
      const { lookAt } = await worker.done(lease, 'a');
      expect(lookAt).toBeLessThanOrEqual(use.clock.now());
      expect((await worker.takeOne()).message.content).toBe('"follower"');
    });

    it('is replaced by the next one', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker);
      expect(await worker.put('a', 5, { content: '"third"', onDuplicate: 'replace' })).toEqual({
        outcome: 'queued',
      });
      await worker.done(lease, 'a');
      use.clock.advance(5);
      expect((await worker.takeOne()).message).toMatchObject({ content: '"third"' });
      use.clock.advance(60_000);
      expect((await use.region()).ids.size).toBe(1);
    });

    it('stays when another message of its id is only kept off', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker);
      expect(await worker.put('a', 0, { content: '"kept off"' })).toEqual({
        outcome: 'duplicate',
        state: 'running',
      });
      await worker.done(lease, 'a');
      use.clock.advance(500);
      expect((await worker.takeOne()).message.content).toBe('"follower"');
    });

    it('is dropped by a cancel, which leaves the running one running', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker, 0);
      expect(await worker.cancel('a')).toBe('running');
      expect((await use.stored('a'))?.next).toBeUndefined();
      expect(await worker.done(lease, 'a')).toEqual({ stale: [], superseded: [] });
      expect((await use.region()).ids.size).toBe(0);
    });

    it('is what a reschedule moves', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker);
      expect(await worker.reschedule('a', 9_000)).toBe('rescheduled');
      const dueAt = use.clock.now() + 9_000;
      expect(await use.stored('a')).toMatchObject({
        state: 'running',
        next: { dueAt, content: '"follower"' },
      });
      await worker.done(lease, 'a');
      use.clock.advance(8_999);
      expect((await worker.claim()).messages).toEqual([]);
      use.clock.advance(1);
      expect((await worker.takeOne()).message).toMatchObject({ content: '"follower"', dueAt });
    });

    it('takes over when the lease of the running one is recovered', async () => {
      const [one, two] = await use.pair();
      await runWithFollower(one, 0);
      await use.kill(one);
      const { message: taken } = await deliveredAgain(use.clock, two, 'a');
      expect(taken).toMatchObject({ content: '"follower"', failures: 0, crashes: 0 });
      expect((await use.region()).ids.size).toBe(1);
    });

    it('takes over where the running one would have become a dead letter by its crashes', async () => {
      const [, worker] = await use.pair();
      await worker.put('a', 0, { content: '"first"' });
      await worker.takeOne();
      await deliveredAgain(use.clock, worker, 'a', { maxCrashes: 1 });
      await worker.put('a', 0, FOLLOWER);
      const { held, dead } = await lookUntil(use.clock, worker, (seen) => seen.held.length > 0, {
        maxCrashes: 1,
      });
      expect(dead).toEqual([]);
      expect(held.map(({ message: { content } }) => content)).toEqual(['"follower"']);
      expect(await use.stored('a')).toMatchObject({ state: 'running', crashes: 0 });
    });

    it('that is due later keeps its due time through a recovery', async () => {
      const [one, two] = await use.pair();
      await runWithFollower(one, 500_000);
      const dueAt = use.clock.now() + 500_000;
      await lookUntil(use.clock, two, ({ recovered, dead }) => recovered + dead.length > 0);
      expect(await use.stored('a')).toMatchObject({ state: 'waiting', at: dueAt, dueAt });
      use.clock.advanceTo(dueAt - 1);
      expect((await two.claim()).messages).toEqual([]);
      use.clock.advance(1);
      await two.takeOne();
    });

    it('keeps its id refused while it waits, and free afterwards', async () => {
      const worker = await use.driver();
      const lease = await runWithFollower(worker);
      await worker.done(lease, 'a');
      expect(await worker.put('a')).toEqual({ outcome: 'duplicate', state: 'waiting' });
      expect(await worker.cancel('a')).toBe('cancelled');
      expect(await worker.putAll([message('a')])).toEqual([{ outcome: 'stored' }]);
    });
  });
}
