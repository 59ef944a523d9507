import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openStage } from './support/stage.js';

const ROUNDS = 6;
/** Longer than the lease: others take the messages meanwhile. */
const STANDSTILL_MS = 3500;

it('a consumer that stands still for longer than its lease loses it, and starts nothing of it afterwards', async () => {
  const stage = await openStage({ env: { LEASE: '2s' } });
  const { fleet, dice } = stage;
  await stage.start(3, 2);
  for (let round = 0; round < ROUNDS; round++) {
    await pass(dice.between(500, 1500));
    const frozen = dice.pick(fleet.living('consumer'));
    fleet.signal(frozen, 'SIGSTOP');
    await pass(STANDSTILL_MS);
    fleet.signal(frozen, 'SIGCONT');
  }
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(1000);
});
