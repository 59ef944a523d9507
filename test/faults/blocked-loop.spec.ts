import { expect, it } from 'vitest';
import { readLedger } from './support/accounts.js';
import { burst } from './support/bursts.js';
import { openStage } from './support/stage.js';
import { LATE_ENDS, type Burst } from './support/trouble.js';

const LEASE_MS = 2_000;
const BLOCKED_MS = 3 * LEASE_MS;
/** Only these get blocked; the steady ones are there to take over. */
const BLOCKED = 6;
const STEADY = 2;
/** Of each kind of late end. */
const BLOCKS = 2;
/** Over so long the blocks are spread. */
const SPREAD_MS = 24_000;
const QUICK = 3_000;
/** Among the work are some handlers that take longer than a lease. */
const SLOW = 40;
/** Within this time after the end of a block the log says what it cost. */
const NEWS_MS = 10_000;

it('a process blocked for three leases learns that it lost them; what it says afterwards counts for nothing', async () => {
  const stage = await openStage({ env: { LEASE: `${LEASE_MS}ms` } });
  const { fleet, dice } = stage;
  for (let i = 0; i < BLOCKED; i++) fleet.start('troubled');
  const steady = Array.from({ length: STEADY }, () => fleet.start('troubled', { STEADY: 'yes' }).name);
  await Promise.all(fleet.living().map(({ ready }) => ready));
  const blocks = LATE_ENDS.flatMap((end) =>
    [true, false].map((later): Burst => {
      const trouble = { kind: 'blocks', ms: BLOCKED_MS, end, later } as const;
      const from = dice.between(0, SPREAD_MS / BLOCKS);
      return { name: `block ${end} ${later}`, count: BLOCKS, delayMs: [from, from + SPREAD_MS], trouble };
    }),
  );
  await burst(stage, [
    ...blocks,
    { name: 'quick', count: QUICK, delayMs: [0, SPREAD_MS], trouble: { kind: 'works', ms: 20 } },
    { name: 'slow', count: SLOW, delayMs: [0, SPREAD_MS], trouble: { kind: 'works', ms: 2.5 * LEASE_MS } },
  ]);
  const books = await stage.finish();
  expect(books.pending + books.dead).toBe(0);

  const { accounts, lostLeases } = readLedger(stage.entries());
  let blocked = 0;
  for (const { id, runs } of accounts.values()) {
    const robbed = runs.slice(0, -1).filter(({ by }) => steady.includes(by));
    expect(robbed, `${id} was taken from a process that nothing had happened to`).toEqual([]);
    const [first, second] = runs;
    if (!id.startsWith('block') || first === undefined || steady.includes(first.by)) continue;
    blocked++;
    expect(runs, `${id} runs once more, and not twice`).toHaveLength(2);
    const endedAt = first.finishedAt ?? first.threwAt ?? 0;
    expect(second?.startedAt, `${id} runs again before the late end`).toBeLessThan(endedAt);
    if (id.includes('true')) expect(first.aborted, id).toBe('lease-expired');
    const said = lostLeases.get(first.by)?.some((at) => at > first.startedAt && at < endedAt + NEWS_MS);
    expect(said, `the log of ${first.by} says that the lease of ${id} was lost`).toBe(true);
  }
  console.log(`${blocked} blocks`);
  expect(blocked).toBeGreaterThanOrEqual(blocks.length / 2);
});
