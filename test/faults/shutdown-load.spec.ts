import { setTimeout as pass } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { openStage } from './support/stage.js';

const ROUNDS = 6;
const CONSUMERS = 3;
const PRODUCERS = 2;

/** Longer than the test: what is not given back stays where it is, and the books never come to an end. */
const LEASE = '1h';

it('consumers that are told to stop under load, one by one and all at once, hold nothing afterwards', async () => {
  // Some handlers take longer than the drain.
  const stage = await openStage({ env: { LEASE, DRAIN: '1s', SLOW_MS: '2500' } });
  const { fleet, dice, client } = stage;
  await stage.start(CONSUMERS, PRODUCERS);
  for (let round = 0; round < ROUNDS; round++) {
    await pass(dice.between(200, 800));
    const next = fleet.start('consumer');
    await fleet.end(dice.pick(fleet.living('consumer').filter((each) => each !== next)), 'SIGTERM');
    await next.ready;
  }
  for (let round = 0; round < 2; round++) {
    await pass(dice.between(1000, 2000));
    await fleet.endAll('SIGTERM', 'consumer');
    expect(await held(client)).toEqual([]);
    await stage.start(CONSUMERS, 0);
  }

  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(1000);
  expect(books.again['SIGTERM past the drain']).toBeGreaterThan(0);
  const known = ['the handler threw', 'SIGTERM past the drain'];
  expect(Object.keys(books.again).filter((why) => !known.includes(why))).toEqual([]);
});

/** The keys of leases and of what they hold. */
async function held(client: Redis): Promise<string[]> {
  return [...(await client.keys('*}:held:*')), ...(await client.keys('*}:leases'))];
}
