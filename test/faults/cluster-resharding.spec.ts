import { expect, it } from 'vitest';
import {
  errorReplies,
  openClusterPlay,
  REGIONS,
  slotOfRegion,
  slotOfRegistry,
  spread,
  type ClusterPlay,
} from './support/cluster-play.js';
import { BACK_MS, moveAndBack } from './support/reshard.js';
import { TOPICS } from './support/work.js';

const LEASE_MS = 10_000;
/** So long a slot stays half moved, one longer than a lease. */
const HALF_MOVED_MS = [300, 1000, 2000, 12_000];
const CONSUMERS = 3;
const PRODUCERS = 2;
const ERRORS = ['MOVED', 'ASK', 'TRYAGAIN'];

it('slots that move between masters under load: nothing is lost, nobody is robbed, nothing runs twice', async () => {
  const play = await openClusterPlay({ env: { LEASE: `${LEASE_MS}ms` } });
  await play.start(CONSUMERS, PRODUCERS);
  const byMaster = await spread(play);
  console.log(
    `regions with messages, by master: ${byMaster.map((regions) => regions.join(' ')).join(' | ')}`,
  );
  expect(byMaster).toHaveLength(play.pairs.length);

  const before = await errors(play);
  await play.fault('resharding', () => reshard(play));
  const after = await errors(play);
  const met = after.map((count, i) => count - (before[i] ?? 0));
  console.log(`answers ${ERRORS.join(', ')}: ${met.join(', ')}`);
  for (const count of met) expect(count).toBeGreaterThan(0);

  const books = await play.finish();
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(1000);
  // Whoever ran a message kept it, though its region could not be written for longer than a lease.
  expect(Object.keys(books.again)).toEqual(['the handler threw']);
});

/** Moves slots that hold regions, and the one of the registry, to another master and back. */
async function reshard(play: ClusterPlay): Promise<void> {
  const { dice, namespace } = play;
  const regions = HALF_MOVED_MS.map(() =>
    slotOfRegion(namespace, dice.pick(TOPICS), dice.between(0, REGIONS - 1)),
  );
  const slots = new Set([...regions, slotOfRegistry(namespace)]);
  for (const [i, slot] of [...slots].entries()) {
    await moveAndBack(play, slot, HALF_MOVED_MS[i] ?? BACK_MS);
  }
}

/** How often the masters answered each of the errors. */
async function errors(play: ClusterPlay): Promise<readonly number[]> {
  const counts = await Promise.all((await play.masters()).map((node) => errorReplies(node)));
  return ERRORS.map((error) => counts.reduce((sum, of) => sum + (of[error] ?? 0), 0));
}
