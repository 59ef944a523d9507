import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { REGION, useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

/** Opening and closing. */
export function describeClosing(make: MakeStore): void {
  describe('open and close', () => {
    const use = useStore(make);

    it('can be called again and together', async () => {
      const engine = await use.store.worker();
      await Promise.all([engine.open(), engine.open()]);
      await engine.open();
      await Promise.all([engine.close(), engine.close()]);
      await engine.close();
    });

    it('makes every later call fail with CLOSED', async () => {
      const engine = await use.store.worker();
      const inspector = inspectorOf(engine);
      await engine.put(REGION, [message('a')], { epoch: 1 });
      await engine.close();
      const options = { max: 1, leaseMs: 1_000, maxCrashes: 1 };
      const calls: Record<string, () => Promise<unknown>> = {
        topology: () => engine.topology('t'),
        propose: () => engine.topology('t', { regions: 1, selector: 's', expectedEpoch: 0 }),
        put: () => engine.put(REGION, [message('b')], { epoch: 1 }),
        cancel: () => engine.cancel(REGION, ['a'], { epoch: 1 }),
        reschedule: () => engine.reschedule(REGION, 'a', { delayMs: 1 }, { epoch: 1 }),
        claim: () => engine.claim(REGION, options),
        settle: () => engine.settle(REGION, 'x.1', [{ id: 'a', verdict: 'done' }], { dedupeMs: 0 }),
        renew: () => engine.renew(REGION, ['x.1'], 1_000),
        counts: () => inspector.counts(REGION),
        page: () => inspector.page(REGION, 'waiting', 0, 10),
        find: () => inspector.find(REGION, 'a', { epoch: 1 }),
        redrive: () => inspector.redrive(REGION, ['a']),
        discard: () => inspector.discard(REGION, ['a']),
        setPaused: () => inspector.setPaused('t', [0], true),
        dueSoon: () => inspector.dueSoon(REGION, 1),
      };
      for (const [name, call] of Object.entries(calls)) {
        await expect(call(), name).rejects.toMatchObject({ name: 'DelayQueueError', code: 'CLOSED' });
      }
      expect([...(await use.region()).ids].map(([id, { state }]) => [id, state])).toEqual([['a', 'waiting']]);
    });

    it('takes nothing away from the other workers, nor from what the closed one held', async () => {
      const [one, two] = await use.pair();
      await one.putAll([message('held'), message('later', 50)]);
      const { lease } = await one.takeOne();
      await one.engine.close();
      expect((await use.region()).leases.has(lease)).toBe(true);
      use.clock.advance(50);
      expect((await two.takeOne()).message.id).toBe('later');
    });

    it('ends the hints', async () => {
      const [one, two] = [await use.driver(), await use.driver()];
      const [closed, open]: [number[], number[]] = [[], []];
      one.engine.watch((_, at) => closed.push(at));
      two.engine.watch((_, at) => open.push(at));
      await one.engine.close();
      closed.length = 0;
      await expect
        .poll(async () => {
          await two.put('a', 5);
          await two.cancel('a');
          return open.length;
        })
        .toBeGreaterThan(0);
      expect(closed).toEqual([]);
    });
  });
}
