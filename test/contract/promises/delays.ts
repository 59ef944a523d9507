import { describe, expect, it } from 'vitest';
import { message } from '../support/region-driver.js';
import { scaled } from '../support/scale.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

const YEAR = 365 * 86_400_000;

const around = (...centres: readonly number[]) =>
  centres.flatMap((centre) => [centre - 1, centre, centre + 1]);

/** Both sides of every place where a wheel, a timer, an integer or a number format changes its ways. */
const DELAYS: readonly number[] = [
  ...new Set([
    ...[0, 1, 2, 9, 10, 11, 99, 100, 500, 999, 1_000, 1_001],
    ...around(1_023, 1_024, 1_025, 2_047, 2_048, 4_096, 65_535, 65_536),
    ...around(2 ** 20 - 1_024, 2 ** 20, 2 ** 20 + 1_024, 2 ** 21, 2 ** 24),
    ...around(2 ** 30 - 2 ** 20, 2 ** 30 - 1_024, 2 ** 30, 2 ** 30 + 1_024, 2 ** 30 + 2 ** 20),
    ...around(2 ** 31, 2 ** 31 + 1_024, 2 ** 32, 2 ** 32 + 2 ** 31, 2 ** 33, 2 ** 40),
    ...around(86_400_000, 30 * 86_400_000, YEAR, 10 * YEAR, 100 * YEAR),
  ]),
].sort((a, b) => a - b);

/** Any delay, to the millisecond, never early. */
export function describeDelays(make: MakeStore): void {
  describe('delays', () => {
    const use = useStore(make);

    it.each([0, 1, 511, 1_023, 2 ** 20 - 1, 2 ** 30 - 7])(
      'across every boundary are exact to the millisecond, from phase %i',
      async (phase) => {
        const worker = await use.driver();
        use.clock.advance(phase);
        const start = use.clock.now();
        await worker.putAll(DELAYS.map((delay) => message(`${delay}`, delay)));
        for (const delay of DELAYS) {
          if (start + delay - 1 > use.clock.now()) {
            use.clock.advanceTo(start + delay - 1);
            const early = await worker.claim();
            expect(early.messages, `1 ms before ${delay}`).toEqual([]);
            expect(early.lookAt).toBe(start + delay);
          }
          if (start + delay > use.clock.now()) use.clock.advanceTo(start + delay);
          const { lease, message: due } = await worker.takeOne();
          expect(due).toMatchObject({ id: `${delay}`, dueAt: start + delay });
          await worker.done(lease, due.id);
        }
        expect((await use.region()).ids.size).toBe(0);
      },
    );

    it('of all lengths come in order after one leap of the clock', async () => {
      const worker = await use.driver();
      const shuffled = [...DELAYS].sort((a, b) => ((a * 7_919) % 104_729) - ((b * 7_919) % 104_729));
      await worker.putAll(shuffled.map((delay) => message(`${delay}`, delay)));
      use.clock.advance(101 * YEAR);
      const { messages } = await worker.take(1_000);
      expect(messages.map(({ id }) => id)).toEqual(DELAYS.map(String));
    });

    it('are exact when messages are moved across the boundaries', async () => {
      const worker = await use.driver();
      const start = use.clock.now();
      for (const [i, delay] of DELAYS.entries()) await worker.put(`${i}`, delay);
      for (const i of DELAYS.keys()) {
        expect(await worker.reschedule(`${i}`, DELAYS[DELAYS.length - 1 - i] ?? 0)).toBe('rescheduled');
      }
      for (const [i, delay] of DELAYS.entries()) {
        if (start + delay - 1 > use.clock.now()) {
          use.clock.advanceTo(start + delay - 1);
          expect((await worker.claim()).messages).toEqual([]);
        }
        if (start + delay > use.clock.now()) use.clock.advanceTo(start + delay);
        const { lease, message: due } = await worker.takeOne();
        expect(due.id).toBe(`${DELAYS.length - 1 - i}`);
        await worker.done(lease, due.id);
      }
    });

    it('at random are never early and never missed, whatever is cancelled on the way', async () => {
      const worker = await use.driver();
      let seed = 42;
      const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
      const due = new Map<string, number>();
      for (let i = 0; i < scaled(600); i++) {
        const delay = Math.floor(2 ** (random() * 34));
        await worker.put(`m${i}`, delay);
        due.set(`m${i}`, use.clock.now() + delay);
        if (random() < 0.2) {
          const id = `m${Math.floor(random() * i)}`;
          expect(await worker.cancel(id)).toBe(due.delete(id) ? 'cancelled' : 'unknown');
        }
        use.clock.advance(Math.floor(2 ** (random() * 24)));
        const { lease, messages } = await worker.claim(1_000);
        const expected = [...due].filter(([, at]) => at <= use.clock.now());
        expect(messages.map(({ id, dueAt }) => [id, dueAt]).sort()).toEqual(expected.sort());
        for (const { id } of messages) due.delete(id);
        if (lease !== undefined) await worker.done(lease, ...messages.map(({ id }) => id));
      }
      expect((await use.region()).ids.size).toBe(due.size);
    });
  });
}
