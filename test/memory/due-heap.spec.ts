import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueHeap } from '../../packages/memory/src/wheel/due-heap.js';
import { NIL, TimerSlab } from '../../packages/memory/src/wheel/timer-slab.js';

/** Positive: an entry due at a quarter of it; negative: removes one of those still there; 0: takes the first. */
const steps = fc.array(fc.integer({ min: -80, max: 200 }), { minLength: 50, maxLength: 300 });

it('gives entries by due time, those of one due time as they came, whatever was removed in between', () => {
  fc.assert(
    fc.property(steps, (script) => {
      const slab = new TimerSlab<number>();
      const heap = new DueHeap(slab);
      let expected: { readonly index: number; readonly dueAt: number }[] = [];
      const drop = (index: number) => {
        heap.remove(index);
        slab.release(index);
        expected = expected.filter((entry) => entry.index !== index);
      };
      for (const step of script) {
        if (step > 0) {
          const entry = { index: slab.allocate(step >> 2, 0), dueAt: step >> 2 };
          heap.push(entry.index);
          const after = expected.findIndex(({ dueAt }) => dueAt > entry.dueAt);
          expected.splice(after === -1 ? expected.length : after, 0, entry);
        } else {
          const victim = step === 0 ? expected[0] : expected[-step % Math.max(1, expected.length)];
          if (victim !== undefined) drop(victim.index);
        }
        expect(heap.size).toBe(expected.length);
        expect(heap.first()).toBe(expected[0]?.index ?? NIL);
      }
      expect(heap.sorted()).toEqual(expected.map(({ index }) => index));
      while (expected.length > 0) {
        expect(heap.first()).toBe(expected[0]?.index);
        drop(heap.first());
      }
      expect(heap.first()).toBe(NIL);
    }),
    { numRuns: 500 },
  );
});
