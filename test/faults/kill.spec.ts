import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openStage } from './support/stage.js';

const ROUNDS = 50;
const CONSUMERS = 4;
const PRODUCERS = 3;

it(`${ROUNDS} times kill -9 of a consumer or a producer at any moment: nothing is lost, nothing runs again but for a kill`, async () => {
  const stage = await openStage({ env: { LEASE: '2s', PER_BURST: '12' } });
  const { fleet, dice } = stage;
  await stage.start(CONSUMERS, PRODUCERS);

  for (let round = 0; round < ROUNDS; round++) {
    await pass(dice.between(50, 1500));
    const living = fleet.living(dice.chance(0.7) ? 'consumer' : 'producer');
    const atWork = living.filter(({ booted }) => booted);
    const victim = dice.pick(atWork.length > 0 && dice.chance(0.8) ? atWork : living);
    const dying = fleet.end(victim, 'SIGKILL');
    fleet.start(victim.program, { SEED: String(dice.between(0, 1e9)) });
    await dying;
  }

  // All at once, with messages in every state: the store alone must be in order, with each message in it.
  await fleet.endAll('SIGKILL');
  const left = await stage.books();
  expect(left.pending).toBeGreaterThan(0);

  await stage.start(CONSUMERS, 0);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(1000);
  expect(books.again['kill -9']).toBeGreaterThan(0);
});
