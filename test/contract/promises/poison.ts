import { describe, expect, it } from 'vitest';
import { deliveredAgain, lookUntil } from '../support/recover.js';
import { LEASE_MS, message, type RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore, type StoreInUse } from '../support/use-store.js';

/** Messages whose process dies: they are counted, spread, singled out and in the end put aside. */
export function describePoison(make: MakeStore): void {
  describe('poison', () => {
    const use = useStore(make);

    it('becomes a dead letter with the crash after the last allowed one, never earlier', async () => {
      for (const maxCrashes of [1, 2, 5]) {
        const [, worker] = await use.pair();
        const id = `poison ${maxCrashes}`;
        await worker.put(id, 0, { content: '7', headers: { h: '1' } });
        for (let crashes = 0; crashes <= maxCrashes; crashes++) {
          const { message: taken } = await deliveredAgain(use.clock, worker, id, { maxCrashes });
          expect(taken).toMatchObject({ crashes, deliveries: crashes, failures: 0 });
        }
        const { dead } = await lookUntil(use.clock, worker, (seen) => seen.dead.length > 0, { maxCrashes });
        expect(dead.map((letter) => letter.id)).toEqual([id]);
        const stored = await use.stored(id);
        expect(stored).toMatchObject({
          state: 'dead',
          content: '7',
          headers: { h: '1' },
          crashes: maxCrashes + 1,
          deliveries: maxCrashes + 1,
          failures: 0,
          reason: dead[0]?.reason,
        });
        expect(stored?.reason).not.toBe('');
        expect(stored?.at).toBe(use.clock.now());
      }
    });

    it('does not take its neighbours with it', async () => {
      const [, first] = await use.pair();
      const innocents = Array.from({ length: 40 }, (_, i) => `m${i}`);
      await first.putAll([...innocents, 'poison'].map((id) => message(id)));
      const done = new Set<string>();
      const dead: string[] = [];
      let worker: RegionDriver = first;
      let crashes = 0;
      // Each worker dies the moment it starts the poison, with everything it holds.
      while (done.size < innocents.length || dead.length === 0) {
        const { held, dead: died } = await lookUntil(
          use.clock,
          worker,
          (seen) => seen.held.length > 0 || seen.dead.length > 0,
          { maxCrashes: 3 },
        );
        dead.push(...died.map(({ id }) => id));
        for (const { lease, message: taken } of held) {
          if (taken.id === 'poison') {
            crashes += 1;
            worker = await reborn(use, worker);
            break;
          }
          expect((await worker.done(lease, taken.id)).stale).toEqual([]);
          done.add(taken.id);
        }
      }
      expect(dead).toEqual(['poison']);
      expect(crashes).toBe(4);
    });

    it('under suspicion is claimed one at a time, and the innocent together', async () => {
      const [, worker] = await use.pair();
      const suspects = ['s1', 's2', 's3'];
      await worker.putAll(suspects.map((id) => message(id)));
      for (let crash = 0; crash < 2; crash++) {
        await lookUntil(use.clock, worker, ({ held }) => new Set(held.map((h) => h.message.id)).size === 3);
      }
      await lookUntil(use.clock, worker, ({ recovered }) => recovered > 0, { leaseMs: 3_600_000 });
      const released = await releaseAll(use, worker);
      expect([...released.values()].filter((crashes) => crashes >= 2).length).toBeGreaterThan(0);
      // Before the suspects and behind them.
      await worker.putAll(['a', 'b', 'c', 'd'].map((id, i) => message(id, i < 2 ? 0 : 10_000)));
      use.clock.advance(20_000);
      const found: string[] = [];
      for (let left = 7; left > 0;) {
        const { messages } = await worker.take(100);
        left -= messages.length;
        found.push(...messages.map(({ id }) => id));
        if (messages.some(({ crashes }) => crashes >= 2)) expect(messages).toHaveLength(1);
      }
      expect(found.sort()).toEqual(['a', 'b', 'c', 'd', ...suspects]);
    });

    it('comes back at once after its first crash, spread over two seconds per crash from the second on', async () => {
      const [, worker] = await use.pair();
      const ids = Array.from({ length: 60 }, (_, i) => `m${i}`);
      await worker.putAll(ids.map((id) => message(id)));
      await worker.take();
      use.clock.advance(LEASE_MS + 1);
      const first = await worker.claim();
      expect(first.recovered).toBe(60);
      const held = new Set(first.messages.map(({ id }) => id));
      while (held.size < 60) for (const { id } of (await worker.take()).messages) held.add(id);
      use.clock.advance(LEASE_MS + 1);
      const second = await worker.claim(1);
      expect(second.recovered).toBe(60);
      const { ids: stored } = await use.region();
      const waits = [...stored.values()].filter(({ state }) => state === 'waiting');
      expect(waits.length).toBeGreaterThanOrEqual(59);
      for (const { at, crashes, deliveries } of waits) {
        expect([crashes, deliveries]).toEqual([2, 2]);
        expect(at).toBeGreaterThanOrEqual(use.clock.now());
        expect(at).toBeLessThanOrEqual(use.clock.now() + 4_000);
      }
      // 59 even draws within less than half of their range: once in 10^17 runs.
      const times = waits.map(({ at }) => at);
      expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2_000);
    });
  });
}

/** The worker dies; another one takes its place. */
async function reborn(use: StoreInUse, worker: RegionDriver): Promise<RegionDriver> {
  const next = await use.driver(worker.region);
  await use.kill(worker);
  return next;
}

/** Releases what is held anywhere, uncounted; returns the crashes of every waiting id. */
async function releaseAll(use: StoreInUse, worker: RegionDriver): Promise<Map<string, number>> {
  for (const [id, { lease }] of (await use.region()).ids) {
    if (lease !== undefined) await worker.settle(lease, [{ id, verdict: 'release', started: false }]);
  }
  return new Map([...(await use.region()).ids].map(([id, { crashes }]) => [id, crashes]));
}
