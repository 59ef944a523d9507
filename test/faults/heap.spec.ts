import { expect, it } from 'vitest';
import type { Entry } from './support/journal.js';
import { openStage } from './support/stage.js';
import { unfinished } from './support/store.js';

const DUE = 500_000;
const HEAP_MB = 128;
const CONSUMERS = 2;
/** Slots and queue of each by default, and as many whose verdicts are on their way. */
const MOST_HELD = CONSUMERS * 2 * (16 + 64);
const MB = 2 ** 20;

/** How many messages are under a lease and how many there are at all, at one moment. */
const COUNTS = `local held, all = 0, 0
for _, key in ipairs(redis.call('KEYS', '*:held:*')) do held = held + redis.call('SCARD', key) end
for _, key in ipairs(redis.call('KEYS', '*:message')) do all = all + redis.call('HLEN', key) end
return { held, all }`;

it(`processes with ${HEAP_MB} MB of heap send ${DUE} messages and handle them once they are all due, holding few at a time`, async () => {
  const stage = await openStage({
    env: {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      ...{ LEASE: '30s', PENDING: '0', DUE: `${DUE}`, LEAD_MS: '0', COUNT: `${DUE}` },
    },
  });
  const { fleet, client, namespace } = stage;
  const producer = fleet.start('swell');
  await producer.ready;
  fleet.signal(producer, 'SIGUSR2');
  await expect.poll(() => unfinished([client], namespace), { interval: 2_000 }).toBe(DUE);
  await fleet.endAll('SIGTERM');

  const began = performance.now();
  for (let i = 0; i < CONSUMERS; i++) fleet.start('tally');
  let mostHeld = 0;
  const left = async () => {
    const [held = 0, all = 0] = (await client.eval(COUNTS, 0)) as number[];
    mostHeld = Math.max(mostHeld, held);
    return all;
  };
  await expect.poll(left, { interval: 20 }).toBe(0);
  const seconds = (performance.now() - began) / 1_000;
  await fleet.endAll('SIGTERM');

  const tallies = stage.entries().filter((entry): entry is Tallied => entry.event === 'tallied');
  const heaps = tallies.map(({ mostHeap }) => Math.round(mostHeap / MB));
  console.log(
    `${DUE} handled in ${seconds.toFixed(1)} s, at most ${mostHeld} held, heaps of ${heaps.join(' and ')} MB`,
  );
  expect(mostHeld).toBeLessThanOrEqual(MOST_HELD);
  expect(tallies).toHaveLength(CONSUMERS);
  const counts = tallies.map((tally) => Buffer.from(tally.counts, 'base64'));
  const total = Array.from({ length: DUE }, (_, i) => counts.reduce((sum, of) => sum + (of[i] ?? 0), 0));
  expect(total.filter((times) => times !== 1)).toEqual([]);
  expect((await stage.read()).violations).toEqual([]);
});

type Tallied = Extract<Entry, { event: 'tallied' }>;
