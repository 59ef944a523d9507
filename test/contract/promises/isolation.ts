import type { Region } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { RegionDriver } from '../support/region-driver.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';
import { inspectorOf } from '../support/inspector.js';

const REGIONS: readonly Region[] = [
  { topic: 'a', index: 0 },
  { topic: 'a', index: 1 },
  { topic: 'a', index: 11 },
  { topic: 'a:1', index: 1 },
  { topic: 'a:b', index: 0 },
  { topic: 'A', index: 0 },
  { topic: 'topics', index: 0 },
  { topic: '0', index: 0 },
  { topic: ':', index: 0 },
  { topic: '::', index: 0 },
  { topic: '-._', index: 0 },
  { topic: 'constructor', index: 0 },
  { topic: '__proto__', index: 0 },
  { topic: 'x'.repeat(128), index: 255 },
];

/** Namespaces, topics and regions never meet. */
export function describeIsolation(make: MakeStore): void {
  describe('isolation', () => {
    const use = useStore(make);

    it('keeps regions and topics of every allowed name apart, with the same ids in all', async () => {
      const engine = await use.store.worker();
      const drivers = REGIONS.map((region) => new RegionDriver(engine, region));
      for (const [i, driver] of drivers.entries()) {
        for (const id of ['c', 'b:c', ':c']) {
          expect(await driver.put(id, 0, { content: `${i}` })).toEqual({ outcome: 'stored' });
        }
      }
      for (const [i, driver] of drivers.entries()) {
        const { lease, messages } = await driver.take();
        expect(messages.map(({ id, content }) => [id, content]).sort()).toEqual(
          [':c', 'b:c', 'c'].map((id) => [id, `${i}`]),
        );
        await driver.done(lease, ...messages.map(({ id }) => id));
        expect(await driver.cancel('c')).toBe('unknown');
      }
    });

    it('keeps a cancel, a pause, a discard and a count to their own topic', async () => {
      const engine = await use.store.worker();
      const [one, two] = [
        new RegionDriver(engine, { topic: 'a:b', index: 0 }),
        new RegionDriver(engine, { topic: 'a', index: 0 }),
      ];
      await one.put('c');
      await two.put('b:c');
      expect(await one.cancel('b:c')).toBe('unknown');
      expect(await two.cancel('c')).toBe('unknown');
      await inspectorOf(engine).setPaused('a', [0, 1, 2], true);
      expect((await one.takeOne()).message.id).toBe('c');
      expect(await inspectorOf(engine).counts(two.region)).toMatchObject({ waiting: 1, running: 0 });
      expect((await two.claim()).paused).toBe(true);
    });

    it('keeps topologies of topics apart', async () => {
      const engine = await use.store.worker();
      for (const [i, { topic }] of REGIONS.filter(({ index }) => index === 0).entries()) {
        expect(
          await engine.topology(topic, { regions: i + 1, selector: 's', expectedEpoch: 0 }),
        ).toMatchObject({
          counts: [i + 1],
        });
      }
      for (const [i, { topic }] of REGIONS.filter(({ index }) => index === 0).entries()) {
        expect((await engine.topology(topic)).counts).toEqual([i + 1]);
      }
    });

    it('keeps namespaces apart', async () => {
      const region = { topic: 'a', index: 0 };
      const [one, two] = [
        new RegionDriver(await use.store.worker('space'), region),
        new RegionDriver(await use.store.worker('space.2'), region),
      ];
      await one.put('a', 0, { content: '1' });
      expect(await two.cancel('a')).toBe('unknown');
      expect(await two.put('a', 0, { content: '2' })).toEqual({ outcome: 'stored' });
      await inspectorOf(one.engine).setPaused('a', [0], true);
      await one.engine.topology('a', { regions: 3, selector: 's', expectedEpoch: 0 });
      expect(await two.engine.topology('a')).toMatchObject({ epoch: 0, counts: [], paused: false });
      expect((await two.takeOne()).message.content).toBe('2');
      const hints: number[] = [];
      const own: number[] = [];
      two.engine.watch((_, at) => hints.push(at));
      one.engine.watch((_, at) => own.push(at));
      await expect
        .poll(async () => {
          await one.put('probe', -0);
          await one.cancel('probe');
          await one.cancel('a');
          return own.length;
        })
        .toBeGreaterThan(0);
      expect(hints).toEqual([]);
    });
  });
}
