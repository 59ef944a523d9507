import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { burst, startsOf } from './support/bursts.js';
import type { Member } from './support/fleet.js';
import { openStage, type Stage } from './support/stage.js';

const LEASE_MS = 2_000;
/** Consumers look for leases that have run out at some moment of this time after they did. */
const SPREAD_MS = 500;
/** A consumer that has just started leaves leases alone for so long, so that whoever lives renews first. */
const GRACE_MS = 0.75 * LEASE_MS;
/** What a busy machine may add. */
const MARGIN_MS = 1_500;
/** As many as a consumer runs at once. */
const HELD = 16;
const ROUNDS = 3;

it('what a killed consumer ran begins again in an idle one when the lease is over, or soon after one has started', async () => {
  const stage = await openStage({ env: { LEASE: `${LEASE_MS}ms` } });
  const { dice } = stage;
  const byIdle: number[] = [];
  const byNew: number[] = [];
  let consumer = await started(stage);
  for (let round = 0; round < ROUNDS; round++) {
    const first = `first${round}`;
    await holds(stage, first);
    const idle = await started(stage);
    // At any moment between two renewals, after the idle one has got used to the others.
    await pass(GRACE_MS + dice.between(0, LEASE_MS / 3));
    byIdle.push(await untilRunAgain(stage, first, await killed(stage, consumer)));

    const second = `second${round}`;
    await holds(stage, second);
    await killed(stage, idle);
    // Nobody is there: the leases run out, and nothing happens.
    await pass(2 * LEASE_MS);
    expect(startsOf(stage, second)).toHaveLength(HELD);
    consumer = await started(stage);
    byNew.push(await untilRunAgain(stage, second, Date.now()));
  }
  console.log(`run again after ${byIdle.join(' ')} ms by an idle one, ${byNew.join(' ')} ms by a new one`);
  expect(Math.max(...byIdle)).toBeLessThan(LEASE_MS + SPREAD_MS + MARGIN_MS);
  expect(Math.max(...byNew)).toBeLessThan(GRACE_MS + SPREAD_MS + MARGIN_MS);
  const books = await stage.finish();
  expect(books.again).toEqual({ 'kill -9': 2 * ROUNDS * HELD });
});

async function started({ fleet }: Stage): Promise<Member> {
  const member = fleet.start('troubled');
  await member.ready;
  return member;
}

/** Waits until the one consumer that lives runs so many messages, none of which will end. */
async function holds(stage: Stage, name: string): Promise<void> {
  await burst(stage, [{ name, count: HELD, delayMs: [0, 0], trouble: { kind: 'hangs' } }]);
  await expect.poll(() => startsOf(stage, name), { interval: 20 }).toHaveLength(HELD);
}

/** Returns when it was killed. */
async function killed({ fleet }: Stage, victim: Member): Promise<number> {
  const killedAt = Date.now();
  await fleet.end(victim, 'SIGKILL');
  return killedAt;
}

/** Returns how long after `since` the last of them began again. */
async function untilRunAgain(stage: Stage, name: string, since: number): Promise<number> {
  await expect.poll(() => startsOf(stage, name), { interval: 20 }).toHaveLength(2 * HELD);
  return Math.max(...startsOf(stage, name).map(({ at }) => at)) - since;
}
