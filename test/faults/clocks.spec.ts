import { setTimeout as pass } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { lateness, median } from './support/lateness.js';
import { openStage } from './support/stage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LEASE_MS = 4_000;
/** Some handlers take this long: their leases must be kept for them. */
const SLOW_MS = 10_000;
/** By how much the clock of a process is off at its start, and how far each step takes it. */
const CLOCKS = [
  [0, 0],
  [-5 * MINUTE_MS, HOUR_MS],
  [5 * MINUTE_MS, -HOUR_MS],
] as const;
const KILLS = 2;
/** All that a machine as busy as any needs for a due message, and a small part of what the clocks are off by. */
const LATEST_MS = 15_000;
const PHASE_MS = 6_000;

it('clocks of processes that are wrong, and jump by an hour, change no delay, no lateness and no lease', async () => {
  const stage = await openStage({ env: { LEASE: `${LEASE_MS}ms`, SLOW_MS: `${SLOW_MS}`, PER_BURST: '2' } });
  const { fleet, dice } = stage;
  const start = (program: 'consumer' | 'producer', [offMs, jumpMs]: (typeof CLOCKS)[number]) =>
    fleet.start(program, {
      NODE_OPTIONS: `--import=${inject('programs')}/wrong-clock.mjs`,
      CLOCK_OFF_MS: `${offMs}`,
      CLOCK_JUMP_MS: `${jumpMs}`,
      SEED: `${dice.between(0, 1e9)}`,
    });
  for (const clock of CLOCKS) {
    start('consumer', clock);
    start('producer', clock);
  }
  await Promise.all(fleet.living().map(({ ready }) => ready));

  for (let kill = 0; kill < KILLS; kill++) {
    await pass(PHASE_MS);
    for (const member of fleet.living()) fleet.signal(member, 'SIGWINCH');
    await pass(PHASE_MS);
    const clock = dice.pick(CLOCKS);
    await fleet.end(dice.pick(fleet.living('consumer')), 'SIGKILL');
    await start('consumer', clock).ready;
  }

  const books = await stage.finish();
  expect(books.sent).toBeGreaterThan(1000);
  expect(books.pending).toBe(0);
  expect(Object.keys(books.again).filter((why) => why !== 'the handler threw' && why !== 'kill -9')).toEqual(
    [],
  );
  expect(books.again['kill -9']).toBeGreaterThan(0);
  const late = lateness(stage.entries());
  console.log(`late by ${median(late)} ms in the middle, ${late.at(-1)} ms at most`);
  expect(late.at(-1)).toBeLessThan(LATEST_MS);
});
