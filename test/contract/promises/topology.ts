import type { DelayEngine, TopologyProposal } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** The registry of region counts. */
export function describeTopology(make: MakeStore): void {
  describe('topology', () => {
    const use = useStore(make);

    const propose = async (
      engine: DelayEngine,
      regions: number,
      expectedEpoch: number,
      more: Partial<TopologyProposal> = {},
    ) => engine.topology('t', { regions, selector: 'jump', expectedEpoch, ...more });

    it('of an unknown topic is empty, and reading does not make it known', async () => {
      const engine = await use.store.worker();
      for (let i = 0; i < 2; i++) {
        const read = await engine.topology('t');
        expect(read).toMatchObject({ epoch: 0, counts: [], paused: false });
        expect(read.selector).toBeUndefined();
      }
    });

    it('takes the first proposal, for every worker to read', async () => {
      const [one, two] = [await use.store.worker(), await use.store.worker()];
      const expected = { epoch: 1, counts: [5], selector: 'jump', paused: false };
      expect(await propose(one, 5, 0)).toEqual(expected);
      expect(await two.topology('t')).toEqual(expected);
    });

    it('keeps every count ever used, each once, the one in force last', async () => {
      const engine = await use.store.worker();
      await propose(engine, 5, 0);
      expect(await propose(engine, 8, 1)).toMatchObject({ epoch: 2, counts: [5, 8] });
      expect(await propose(engine, 3, 2)).toMatchObject({ epoch: 3, counts: [5, 8, 3] });
      expect(await propose(engine, 8, 3)).toMatchObject({ epoch: 4, counts: [5, 3, 8] });
      expect((await engine.topology('t')).counts).toEqual([5, 3, 8]);
    });

    it('changes nothing for a proposal that comes from an old reading', async () => {
      const engine = await use.store.worker();
      await propose(engine, 5, 0);
      const current = await propose(engine, 8, 1);
      for (const epoch of [0, 1, 3, 99]) expect(await propose(engine, 16, epoch)).toEqual(current);
      expect(await engine.topology('t')).toEqual(current);
    });

    it('lets one of many concurrent proposals win, and tells all which', async () => {
      const engines = [await use.store.worker(), await use.store.worker(), await use.store.worker()];
      for (let round = 0; round < 30; round++) {
        const answers = await Promise.all(
          engines.map((engine, i) => propose(engine, 10 * (i + 1) + (round % 7), round)),
        );
        const current = await propose(engines[0] ?? (await use.store.worker()), 1, -1);
        expect(current.epoch).toBe(round + 1);
        for (const answer of answers) expect(answer.epoch).toBe(round + 1);
        for (const answer of answers) expect(answer.counts.at(-1)).toBe(current.counts.at(-1));
      }
    });

    it('takes back counts that a failover lost, before the one in force', async () => {
      const engine = await use.store.worker();
      await propose(engine, 3, 0);
      expect((await propose(engine, 8, 1, { former: [5, 3, 8] })).counts).toEqual([3, 5, 8]);
      const unknown = await engine.topology('u', {
        regions: 3,
        selector: 'jump',
        expectedEpoch: 0,
        former: [5, 8],
        minEpoch: 7,
      });
      expect(unknown.counts).toEqual([5, 8, 3]);
      expect(unknown.epoch).toBeGreaterThan(7);
    });

    it('never issues an epoch twice after one was lost', async () => {
      const engine = await use.store.worker();
      await propose(engine, 5, 0);
      const { epoch } = await propose(engine, 5, 1, { minEpoch: 41 });
      expect(epoch).toBeGreaterThan(41);
      expect((await propose(engine, 6, epoch, { minEpoch: 3 })).epoch).toBeGreaterThan(epoch);
    });

    it('keeps the selector that placed the messages, and takes no proposal that comes with another', async () => {
      const engine = await use.store.worker();
      const current = await propose(engine, 5, 0);
      expect(await propose(engine, 6, 1, { selector: 'another' })).toEqual(current);
      expect(await engine.topology('t')).toEqual(current);
      expect(await propose(engine, 6, 1)).toMatchObject({ epoch: 2, selector: 'jump' });
    });
  });
}
