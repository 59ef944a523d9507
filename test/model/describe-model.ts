import fc from 'fast-check';
import { describe, it } from 'vitest';
import { drain } from './drain.js';
import type { ModelStore } from './model-store.js';
import { cancelStep, rescheduleStep } from './steps/change-steps.js';
import { claimStep } from './steps/claim-step.js';
import { countStep, deadLetterStep, findStep } from './steps/inspect-steps.js';
import { advanceStep, clockStep, killStep, renewStep } from './steps/lease-steps.js';
import { putStep } from './steps/put-step.js';
import { fullStep, pauseStep, proposeStep } from './steps/registry-steps.js';
import { settleStep } from './steps/settle-step.js';
import type { Step } from './steps/step.js';
import { World } from './world.js';

const times = <T>(count: number, element: T): T[] => new Array<T>(count).fill(element);

/** The steps, as often as they are to be among the random ones. */
const STEPS: fc.Arbitrary<Step>[] = [
  ...times(10, putStep),
  ...times(9, claimStep),
  ...times(8, settleStep),
  ...times(6, advanceStep),
  ...times(2, cancelStep),
  ...times(2, rescheduleStep),
  ...times(2, renewStep),
  ...times(2, deadLetterStep),
  ...times(2, findStep),
  countStep,
  clockStep,
  killStep,
  pauseStep,
  proposeStep,
  fullStep,
];

const number = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

const RUNS = number('MODEL_RUNS') ?? 100;
/** With the search for a shorter example; far more than the runs themselves take. */
const LONGEST_MS = Math.max(200_000, RUNS * 4_000);

/**
 * Random steps on an engine and on a model of it, compared key by key after each one. A failure prints its
 * seed, path and replay path; set `MODEL_SEED`, `MODEL_PATH` and `MODEL_REPLAY` to them to repeat it.
 * `MODEL_RUNS` (runs) and `MODEL_STEPS` (most steps of one run) make it longer or shorter, `MODEL_SHRINK=0`
 * leaves out the search for a shorter example.
 *
 * @param make makes an empty store that holds at most so many messages, if it has such a limit
 */
export function describeModel(name: string, make: (maxMessages: number) => Promise<ModelStore>): void {
  describe(name, () => {
    it(
      'does what the model does, after every random step, to the last key',
      { timeout: 2 * LONGEST_MS },
      async () => {
        const replayPath = process.env['MODEL_REPLAY'];
        const steps = fc.commands<World, World, false>(STEPS, {
          maxCommands: number('MODEL_STEPS') ?? 150,
          size: 'max',
          ...(replayPath === undefined ? {} : { replayPath }),
        });
        const limit = fc.constantFrom(Infinity, Infinity, 4);
        const property = fc.asyncProperty(steps, limit, async (chosen, maxMessages) => {
          const store = await make(maxMessages);
          try {
            const world = await World.start(store);
            await fc.asyncModelRun(() => ({ model: world, real: world }), chosen);
            await drain(world);
          } finally {
            await store.close();
          }
        });
        const seed = number('MODEL_SEED');
        const path = process.env['MODEL_PATH'];
        await fc.assert(property, {
          numRuns: RUNS,
          endOnFailure: process.env['MODEL_SHRINK'] === '0',
          interruptAfterTimeLimit: LONGEST_MS,
          ...(seed === undefined ? {} : { seed }),
          ...(path === undefined ? {} : { path }),
        });
      },
    );
  });
}
