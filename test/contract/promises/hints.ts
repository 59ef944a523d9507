import { describe, expect, it } from 'vitest';
import type { Region } from '@delay-queue/core';
import { regionName, type MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';
import type { RegionDriver } from '../support/region-driver.js';
import { inspectorOf } from '../support/inspector.js';

/** Hints wake a consumer that sleeps until a later due time. One may be lost; on an idle system none is. */
export function describeHints(make: MakeStore): void {
  describe('hints', () => {
    const use = useStore(make);

    /** A worker and another one's hints, which arrive already: the subscription stands. */
    const listening = async (region?: Region) => {
      const [sender, sleeper] = [await use.driver(region), await use.driver(region)];
      const hints: string[] = [];
      const stop = sleeper.engine.watch((of, at) => hints.push(`${regionName(of)} ${at - use.clock.now()}`));
      const own = regionName(sender.region);
      await expect
        .poll(async () => {
          await sender.put('probe', 900_000);
          await sender.cancel('probe');
          return hints.length;
        })
        .toBeGreaterThan(0);
      return { sender, sleeper, hints, own, stop };
    };

    const arrives = (hints: readonly string[], hint: string) => expect.poll(() => hints).toContain(hint);

    it('come when a put is the new earliest of a region', async () => {
      const { sender, hints, own } = await listening();
      await sender.put('first', 60_000);
      await arrives(hints, `${own} 60000`);
      await sender.put('earlier', 500);
      await arrives(hints, `${own} 500`);
    });

    it('come when a message is moved or replaced to become the earliest', async () => {
      const { sender, hints, own } = await listening();
      await sender.put('a', 60_000);
      await sender.put('b', 70_000);
      await sender.reschedule('b', 3_000);
      await arrives(hints, `${own} 3000`);
      await sender.put('a', 200, { onDuplicate: 'replace' });
      await arrives(hints, `${own} 200`);
    });

    it('come when a dead letter is redriven', async () => {
      const { sender, hints, own } = await listening();
      await sender.put('a');
      const { lease } = await sender.takeOne();
      await sender.settle(lease, [{ id: 'a', verdict: 'dead', reason: 'r', failed: true }]);
      await arrives(hints, `${own} 0`);
      hints.length = 0;
      await inspectorOf(sender.engine).redrive(sender.region, ['a']);
      await arrives(hints, `${own} 0`);
    });

    it('do not come for messages behind the earliest', async () => {
      const { sender, hints, own } = await listening();
      await sender.put('first', 100);
      await arrives(hints, `${own} 100`);
      for (let i = 0; i < 20; i++) await sender.put(`m${i}`, 1_000 + i);
      await sender.put('marker', 50);
      await arrives(hints, `${own} 50`);
      expect(hints.filter((hint) => / 10[0-9]{2}$/.test(hint))).toEqual([]);
    });

    it('name the region, with any topic', async () => {
      const topic = 'a:b.c_d-E:7';
      const { hints, sender, own } = await listening({ topic, index: 41 });
      expect(own).toBe('a:b.c_d-E:7/41');
      await sender.put('a', 44);
      await arrives(hints, `${own} 44`);
    });

    it('end with the subscription, without a trace of other listeners', async () => {
      const { sender, sleeper, hints, own, stop } = await listening();
      const others: string[] = [];
      sleeper.engine.watch((_, at) => others.push(`${at - use.clock.now()}`));
      stop();
      stop();
      hints.length = 0;
      await wake(sender, others);
      expect(hints).toEqual([]);
      expect(own).toBe(regionName(sender.region));
    });
  });
}

/** Sends until the other listener has heard of it. */
async function wake(sender: RegionDriver, heard: readonly string[]): Promise<void> {
  await expect
    .poll(async () => {
      await sender.put('wake', 10);
      await sender.cancel('wake');
      return heard;
    })
    .toContain('10');
}
