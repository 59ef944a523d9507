import { setTimeout as pass } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Books } from './support/books.js';
import { openHalfOpen, type HalfOpen } from './support/half-open.js';
import { openStage, type Stage, type StageOptions } from './support/stage.js';

const LEASE_MS = 2000;
/** Some handlers run through an outage, and longer than a lease. */
const SLOW_MS = 2500;
/** Longer than a lease, shorter than the time limit of a send. */
const OUTAGE_MS = 3000;
const CONSUMERS = 2;
const PRODUCERS = 2;

/** Appends to its file; what it answered is in the file. */
const everyWrite = ['--appendonly', 'yes', '--appendfsync', 'always'];
const everySecond = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

/** Work, the fault, work, the end; then the books are balanced. */
async function through(name: string, fault: (stage: Stage) => Promise<void>, options: StageOptions = {}) {
  const stage = await openStage({
    redis: everySecond,
    env: { LEASE: `${LEASE_MS}ms`, SLOW_MS: String(SLOW_MS) },
    ...options,
  });
  await stage.start(CONSUMERS, PRODUCERS);
  await pass(2000);
  await stage.fault(name, () => fault(stage));
  await pass(2000);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(500);
  expectNobodyRobbed(books, name);
  return stage;
}

/** Until so much time has passed, again and again. */
async function repeatedly(forMs: number, pauseMs: number, act: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + forMs;
  while (performance.now() < end) {
    await act();
    await pass(pauseMs);
  }
}

/** Nobody was robbed: what ran again failed before, or was sent again because an answer was lost. */
function expectNobodyRobbed({ again }: Books, name: string): void {
  const known = ['the handler threw', `${name}: sent twice`];
  expect(Object.keys(again).filter((why) => !known.includes(why))).toEqual([]);
}

it('kill -9 of a Redis that writes every command to its file', async () => {
  const kills = async ({ server }: Stage) => {
    for (let i = 0; i < 3; i++) {
      server.signal('SIGKILL');
      await server.restart();
      await pass(2000);
    }
  };
  await through('kill -9 of Redis', kills, { redis: everyWrite });
});

it('restarts of a Redis that is told to stop', async () => {
  await through('restart', async ({ server }) => {
    for (let i = 0; i < 3; i++) {
      server.signal('SIGTERM');
      await server.restart();
      await pass(2000);
    }
  });
});

it('a Redis that stands still for longer than a lease robs no live worker', async () => {
  const { entries } = await through('SIGSTOP', async ({ server }) => {
    for (let i = 0; i < 2; i++) {
      server.signal('SIGSTOP');
      await pass(OUTAGE_MS);
      server.signal('SIGCONT');
      await pass(2000);
    }
  });
  // What ran meanwhile was told that its lease was over; it was kept for it all the same.
  const told = entries().filter((entry) => entry.event === 'aborted' && entry.why === 'lease-expired');
  expect(told.length).toBeGreaterThan(0);
});

it('connections that are broken again and again', async () => {
  await through('CLIENT KILL', ({ client, dice }) =>
    repeatedly(6000, 150, () =>
      client.call('CLIENT', 'KILL', 'TYPE', dice.pick(['normal', 'pubsub']), 'SKIPME', 'yes'),
    ),
  );
});

it('clients that have to pause', async () => {
  await through('CLIENT PAUSE', async ({ client }) => {
    for (const kind of ['ALL', 'WRITE'] as const) {
      await client.call('CLIENT', 'PAUSE', String(OUTAGE_MS), kind);
      await pass(OUTAGE_MS + 2000);
    }
  });
});

it('scripts that are forgotten all the time', async () => {
  await through('SCRIPT FLUSH', ({ client }) => repeatedly(5000, 10, () => client.script('FLUSH')));
});

it('a Redis that refuses writes for a while', async () => {
  await through('read-only', async ({ client }) => {
    for (let i = 0; i < 2; i++) {
      await client.config('SET', 'min-replicas-to-write', '1');
      await pass(OUTAGE_MS);
      await client.config('SET', 'min-replicas-to-write', '0');
      await pass(2000);
    }
  });
});

it('a Redis whose memory is full for a while', async () => {
  await through('out of memory', async ({ client }) => {
    for (let i = 0; i < 2; i++) {
      await client.config('SET', 'maxmemory', '1');
      await pass(OUTAGE_MS);
      await client.config('SET', 'maxmemory', '0');
      await pass(2000);
    }
  });
});

it.each(['answers', 'both'] as const)('connections that fall silent: %s', async (what) => {
  let way: HalfOpen | undefined;
  const url: StageOptions['url'] = async ({ port }) => {
    const opened = await openHalfOpen(port);
    onTestFinished(() => opened.close());
    way = opened;
    return opened.url;
  };
  const silence = () => repeatedly(9000, 3000, () => Promise.resolve(way?.silence(what)));
  await through('half-open', silence, { url });
});
