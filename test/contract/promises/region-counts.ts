import { DelayQueueRuntime, resolveProperties, type SendItem } from '@delay-queue/core';
import { afterEach, describe, expect, it } from 'vitest';
import { scaled } from '../support/scale.js';
import { silentLogger } from '../support/silent-logger.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

const TOPIC = 'order:timeout';

/** Region counts that change while messages wait: what core builds on topologies and epochs, on this engine. */
export function describeRegionCounts(make: MakeStore): void {
  describe('region counts', () => {
    const use = useStore(make);
    const running: DelayQueueRuntime[] = [];

    // Before the store is closed: hooks run in reverse order.
    afterEach(() => Promise.all(running.splice(0).map((runtime) => runtime.close())));

    /** A process that asks for so many regions. */
    const instance = async (regions: number) => {
      const engine = await use.store.worker();
      const options = { engine: () => engine, regions, clock: use.clock, logger: silentLogger };
      const runtime = new DelayQueueRuntime(resolveProperties(options));
      running.push(runtime);
      await runtime.open();
      return runtime;
    };

    /** In how many regions of the topic each id stands. */
    const standings = async (topic: string) => {
      const times = new Map<string, number>();
      for (const [name, { ids }] of (await use.store.snapshot()).regions) {
        if (!name.startsWith(`${topic}/`)) continue;
        for (const id of ids.keys()) times.set(id, (times.get(id) ?? 0) + 1);
      }
      return times;
    };

    const itemsOf = (ids: readonly string[], more: Partial<SendItem> = {}): SendItem[] =>
      ids.map((id) => ({ id, content: id, delay: '1h', ...more }) as SendItem);

    it('5 → 8 → 3: ids are found, kept unique, replaced, moved and cancelled by processes of every count', async () => {
      const ids = Array.from({ length: 120 }, (_, i) => `m${i}`);
      const five = (await instance(5)).context;
      await five.sendMany(TOPIC, itemsOf(ids));
      const eight = (await instance(8)).context;
      for (const { outcome } of await eight.sendMany(TOPIC, itemsOf(ids))) expect(outcome).toBe('duplicate');
      const three = (await instance(3)).context;
      const all = [five, eight, three];
      for (const { outcome } of await three.sendMany(TOPIC, itemsOf(ids))) expect(outcome).toBe('duplicate');
      for (const [i, context] of all.entries()) {
        const replaced = await context.sendMany(
          TOPIC,
          itemsOf(ids, { content: `by ${i}`, onDuplicate: 'replace' }),
        );
        for (const { outcome } of replaced) expect(outcome).toBe('replaced');
        for (const id of ids.slice(0, 20)) {
          for (const other of all) expect((await other.find(TOPIC, id))?.content).toBe(`by ${i}`);
          expect(await context.reschedule(TOPIC, id, '2h')).toBe('rescheduled');
        }
        expect([...(await standings(TOPIC)).values()].every((times) => times === 1)).toBe(true);
      }
      expect((await standings(TOPIC)).size).toBe(ids.length);
      const thirds = all.map((context, i) => context.cancelMany(TOPIC, ids.slice(40 * i, 40 * i + 40)));
      for (const { outcome } of (await Promise.all(thirds)).flat()) expect(outcome).toBe('cancelled');
      expect((await standings(TOPIC)).size).toBe(0);
    });

    it('5 → 8 → 3: what waited in any region is handled, once', async () => {
      const sent: string[] = [];
      for (const regions of [5, 8, 3]) {
        const { context } = await instance(regions);
        const ids = Array.from({ length: 80 }, (_, i) => `${regions}/${i}`);
        await context.sendMany(TOPIC, itemsOf(ids, { delay: '1s' }));
        sent.push(...ids);
      }
      const last = await instance(3);
      const handled: string[] = [];
      last.consume(TOPIC, (content) => void handled.push(String(content))).start();
      use.clock.advance(1_000);
      await expect
        .poll(
          () => {
            use.clock.advance(50);
            return handled.length;
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThanOrEqual(sent.length);
      expect([...handled].sort()).toEqual([...sent].sort());
      await last.drain();
    });

    it('a change amid sends of the same ids leaves each of them once', async () => {
      for (let round = 0; round < scaled(15, 3); round++) {
        const topic = `${TOPIC}:${round}`;
        const ids = Array.from({ length: 40 }, (_, i) => `m${i}`);
        const [old, other] = [(await instance(5)).context, (await instance(5)).context];
        await old.send(topic, 0, '1h', { id: 'first' });
        await other.cancel(topic, 'first');
        const newer = (await instance(8)).context;
        const answers = await Promise.all(
          [old, newer, other].map((context) => context.sendMany(topic, itemsOf(ids))),
        );
        for (const [i, id] of ids.entries()) {
          const outcomes = answers.map((answer) => answer[i]?.outcome).sort();
          expect([id, outcomes]).toEqual([id, ['duplicate', 'duplicate', 'stored']]);
        }
        expect([...(await standings(topic)).values()]).toEqual(ids.map(() => 1));
        await Promise.all(running.splice(0).map((runtime) => runtime.close()));
      }
    });
  });
}
