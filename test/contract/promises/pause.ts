import { describe, expect, it } from 'vitest';
import { lookUntil } from '../support/recover.js';
import { LEASE_MS, message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

const { topic } = REGION;

/** A paused topic hands nothing out; everything else goes on. */
export function describePause(make: MakeStore): void {
  describe('pause', () => {
    const use = useStore(make);

    it('stops claims in every worker, and says so, until it is lifted', async () => {
      const [one, two] = [await use.driver(), await use.driver()];
      await one.putAll([message('a'), message('b', 500)]);
      await inspectorOf(one.engine).setPaused(topic, [0], true);
      use.clock.advance(1_000);
      for (const worker of [one, two]) {
        const claim = await worker.claim();
        expect(claim).toMatchObject({ messages: [], paused: true });
        expect(claim.lease).toBeUndefined();
      }
      await inspectorOf(two.engine).setPaused(topic, [0], false);
      const claim = await one.claim();
      expect(claim.paused).toBe(false);
      expect(claim.messages.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    });

    it('lets messages be put, moved and cancelled, and running ones be settled', async () => {
      const worker = await use.driver();
      const inspector = inspectorOf(worker.engine);
      await worker.putAll(['done', 'retry', 'dead', 'release'].map((id) => message(id)));
      const { lease } = await worker.take();
      await inspector.setPaused(topic, [0], true);
      expect(await worker.put('new')).toEqual({ outcome: 'stored' });
      expect(await worker.put('later', 1_000)).toEqual({ outcome: 'stored' });
      expect(await worker.put('gone')).toEqual({ outcome: 'stored' });
      expect(await worker.cancel('gone')).toBe('cancelled');
      expect(await worker.reschedule('later', 0)).toBe('rescheduled');
      expect(await worker.renew([lease])).toEqual([]);
      const settled = await worker.settle(lease, [
        { id: 'done', verdict: 'done' },
        { id: 'retry', verdict: 'retry', delayMs: 0, failed: true },
        { id: 'dead', verdict: 'dead', reason: 'r', failed: true },
        { id: 'release', verdict: 'release', started: false },
      ]);
      expect(settled.stale).toEqual([]);
      expect(await inspector.redrive(REGION, ['dead'])).toEqual([true]);
      expect((await worker.claim()).messages).toEqual([]);
      await inspector.setPaused(topic, [0], false);
      const { messages } = await worker.take();
      expect(messages.map(({ id }) => id).sort()).toEqual(['dead', 'later', 'new', 'release', 'retry']);
    });

    it('keeps what was held by a dead worker, for after it', async () => {
      const [one, two] = await use.pair();
      await one.put('a');
      await one.take();
      await use.kill(one);
      await inspectorOf(two.engine).setPaused(topic, [0], true);
      for (let i = 0; i < 10; i++) {
        use.clock.advance(LEASE_MS / 2);
        expect((await two.claim()).messages).toEqual([]);
      }
      await inspectorOf(two.engine).setPaused(topic, [0], false);
      const { held } = await lookUntil(use.clock, two, (seen) => seen.held.length > 0, { withinMs: 1_000 });
      expect(held.map(({ message: { id, crashes } }) => [id, crashes])).toEqual([['a', 1]]);
    });

    it('holds for the regions named and no other, and is on the registry for those that come later', async () => {
      const worker = await use.driver();
      const other = await use.driver({ topic, index: 1 });
      await worker.put('a');
      await other.put('a');
      expect((await worker.engine.topology(topic)).paused).toBe(false);
      await inspectorOf(worker.engine).setPaused(topic, [0], true);
      expect((await worker.claim()).paused).toBe(true);
      expect((await other.engine.topology(topic)).paused).toBe(true);
      const proposal = {
        regions: 3,
        selector: 's',
        expectedEpoch: (await worker.engine.topology(topic)).epoch,
      };
      expect((await other.engine.topology(topic, proposal)).paused).toBe(true);
      await inspectorOf(worker.engine).setPaused(topic, [0, 1, 2], true);
      expect((await other.claim()).paused).toBe(true);
      await inspectorOf(worker.engine).setPaused(topic, [0, 1, 2], false);
      expect((await other.engine.topology(topic)).paused).toBe(false);
      for (const each of [worker, other]) await each.takeOne();
    });

    it('of one topic leaves the others alone', async () => {
      const paused = await use.driver();
      const free = await use.driver({ topic: `${topic}:2`, index: 0 });
      await inspectorOf(paused.engine).setPaused(topic, [0, 1], true);
      await free.put('a');
      expect((await free.takeOne()).message.id).toBe('a');
      expect((await free.engine.topology(free.region.topic)).paused).toBe(false);
    });

    it('twice is once, and survives its worker', async () => {
      const one = await use.driver();
      await inspectorOf(one.engine).setPaused(topic, [0], true);
      await inspectorOf(one.engine).setPaused(topic, [0], true);
      await one.put('a');
      await use.kill(one);
      const two = await use.driver();
      expect((await two.claim()).paused).toBe(true);
      await inspectorOf(two.engine).setPaused(topic, [0], false);
      expect((await two.takeOne()).message.id).toBe('a');
    });

    it('asks for no look before the next safety look', async () => {
      const worker = await use.driver();
      await worker.put('a');
      await inspectorOf(worker.engine).setPaused(topic, [0], true);
      expect((await worker.claim()).lookAt).toBeUndefined();
    });
  });
}
