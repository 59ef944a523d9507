import { expect, it, onTestFinished } from 'vitest';
import { BREAKABLE, connections, repeatedly, type FaultName } from './support/faults.js';
import { openHalfOpen, type HalfOpen } from './support/half-open.js';
import { openStage, type StageOptions } from './support/stage.js';
import { expectNobodyRobbed, rejected, through, throughFaults, worked } from './support/through.js';

/** Well within the time limit of a send. */
const OUTAGE_MS = 2_500;
/** Longer than a lease of 2 s. */
const STANDSTILL_MS = 3_000;

it.each(['always', 'everysec'])(
  'kill -9 of a Redis with appendfsync %s, three times',
  async (appendfsync) => {
    await throughFaults(
      Array.from({ length: 3 }, () => ['kill -9', 0]),
      { redis: [...BREAKABLE.redis, '--appendfsync', appendfsync] },
    );
  },
);

it.each<[what: string, (readonly [FaultName, forMs: number])[]]>([
  [
    'restarts and broken connections',
    [
      ['restart', 0],
      ['CLIENT KILL', 4_000],
      ['restart', 500],
      ['CLIENT KILL ID', 4_000],
      ['restart', 1_000],
      ['SCRIPT FLUSH', 3_000],
    ],
  ],
  [
    'short outages',
    [
      ['CLIENT PAUSE ALL', OUTAGE_MS],
      ['CLIENT PAUSE WRITE', OUTAGE_MS],
      ['too few replicas', OUTAGE_MS],
      ['full memory', OUTAGE_MS],
    ],
  ],
])('%s reject no send', async (_what, faults) => {
  const { stage } = await throughFaults(faults);
  expect(rejected(stage)).toEqual([]);
});

it('a Redis that stands still for longer than a lease robs no live worker', async () => {
  const faults = [
    ['SIGSTOP', STANDSTILL_MS],
    ['SIGSTOP', STANDSTILL_MS],
  ] as const;
  const { stage } = await throughFaults(faults, { env: { LEASE: '2s', SLOW_MS: '2500' } });
  // What ran meanwhile was told that its lease was over; it was kept for it all the same.
  const told = stage.entries().filter((entry) => entry.event === 'aborted' && entry.why === 'lease-expired');
  expect(told.length).toBeGreaterThan(0);
});

it('one connection at a time: of a producer, of a consumer, the one for hints', async () => {
  const user = (name: string) => ['--user', name, 'on', '>sesame', '~*', '&*', '+@all'];
  const stage = await openStage({
    redis: [...user('consumer'), ...user('producer')],
    env: { LEASE: '10s' },
  });
  const { client, fleet, dice, server } = stage;
  for (const program of ['consumer', 'consumer', 'producer', 'producer'] as const) {
    fleet.start(program, { REDIS_URL: `redis://${program}:sesame@127.0.0.1:${server.port}` });
  }
  await Promise.all(fleet.living().map(({ ready }) => ready));
  await worked(stage);
  const kinds = [
    ['producer', 'delay-queue:faults'],
    ['consumer', 'delay-queue:faults'],
    ['consumer', 'delay-queue:faults:hints'],
  ];
  await stage.fault('CLIENT KILL ID', async () => {
    for (let round = 0; round < 8; round++) {
      for (const [program, name] of kinds) {
        const alike = async () =>
          (await connections(client)).filter((each) => each.user === program && each.name === name);
        await expect.poll(alike, { interval: 20 }).toHaveLength(2);
        const { id } = dice.pick(await alike());
        await client.call('CLIENT', 'KILL', 'ID', id);
      }
    }
  });
  await worked(stage);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(rejected(stage)).toEqual([]);
  expectNobodyRobbed(books);
});

it.each(['answers', 'both'] as const)('connections that fall silent: %s', async (what) => {
  let way: HalfOpen | undefined;
  const url: StageOptions['url'] = async ({ port }) => {
    const opened = await openHalfOpen(port);
    onTestFinished(() => opened.close());
    way = opened;
    return opened.url;
  };
  const silence = () => repeatedly(6_000, 3_000, () => Promise.resolve(way?.silence(what)));
  await through((stage) => stage.fault('half-open', silence), { url });
});
