import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { burst, startsOf } from './support/bursts.js';
import type { Entry } from './support/journal.js';
import { lateness, median } from './support/lateness.js';
import { openStage } from './support/stage.js';

/** Of the programs. */
const SAFETY_LOOK_MS = 1_000;
/** What a busy machine may add. */
const MARGIN_MS = 1_500;
/** The same while there is more work than it can keep up with for a moment. */
const LOADED_MARGIN_MS = 4_000;
/** So late is what consumers sleep on: without a look in between everything would wait for it. */
const FAR_MS = 120_000;
/** Every region gets some. */
const FAR = 40;
const NEAR = 200;
const ROUNDS = 3;
const WORK = { kind: 'works', ms: 5 } as const;

/** A server with a user that may do everything but publish and subscribe, and its address. */
const NO_HINTS = {
  redis: ['--user', 'fleet', 'on', '>sesame', '~*', '+@all', '-@pubsub'],
  url: ({ port }: { port: number }) => Promise.resolve(`redis://fleet:sesame@127.0.0.1:${port}`),
};

it('without any hint idle consumers find what became due earlier at their next safety look', async () => {
  const stage = await openStage({ ...NO_HINTS, env: { LEASE: '10s' } });
  const { fleet } = stage;
  const consumers = [fleet.start('troubled'), fleet.start('troubled')];
  await Promise.all(consumers.map(({ ready }) => ready));
  const near: number[] = [];
  const moved: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const far = `far${round}`;
    const others = await burst(stage, [{ name: far, count: FAR, delayMs: [FAR_MS, FAR_MS], trouble: WORK }]);
    // Until all consumers sleep on those.
    await pass(2 * SAFETY_LOOK_MS);
    const name = `near${round}`;
    await burst(stage, [{ name, count: NEAR, delayMs: [0, 2_000], trouble: WORK }]);
    await expect.poll(() => startsOf(stage, name)).toHaveLength(NEAR);
    near.push(...lateness(startsOf(stage, name)));
    fleet.signal(others, 'SIGUSR2');
    await expect.poll(() => startsOf(stage, far)).toHaveLength(FAR);
    moved.push(...lateness(startsOf(stage, far)));
  }
  const books = await stage.finish();
  expect(books.again).toEqual({});
  expect(books.moved).toBe(ROUNDS * FAR);
  for (const late of [near, moved].map((each) => each.sort((a, b) => a - b))) {
    console.log(`late by ${median(late)} ms in the middle, ${late.at(-1)} ms at most`);
    expect(late.at(-1)).toBeLessThan(SAFETY_LOOK_MS + MARGIN_MS);
  }
  // With hints they would begin within milliseconds of being moved.
  expect(median(moved)).toBeGreaterThan(SAFETY_LOOK_MS / 10);
  expect(deaf(stage.entries())).toEqual(expect.arrayContaining(consumers.map(({ name }) => name)));
});

it('without any hint no message waits for longer than until the next safety look under load', async () => {
  const stage = await openStage({ ...NO_HINTS, env: { LEASE: '5s' } });
  await stage.start(3, 3);
  await expect.poll(() => lateness(stage.entries()).length, { interval: 500 }).toBeGreaterThan(3_000);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(Object.keys(books.again).filter((why) => why !== 'the handler threw')).toEqual([]);
  const late = lateness(stage.entries());
  console.log(`late by ${median(late)} ms in the middle, ${late.at(-1)} ms at most`);
  expect(late.at(-1)).toBeLessThan(SAFETY_LOOK_MS + LOADED_MARGIN_MS);
});

/** Who said that there will be no hints. */
function deaf(entries: readonly Entry[]): readonly string[] {
  const said = entries.filter(
    (entry) => entry.event === 'log' && entry.message.startsWith('cannot subscribe'),
  );
  return said.map(({ by }) => by);
}
