import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished } from 'vitest';
import { startRedis, type RedisServer } from '../../support/redis-server.js';
import { balance, type Books } from './books.js';
import { Fleet } from './fleet.js';
import { Journal, readJournals, type Entry } from './journal.js';
import { random, runSeed, type Random } from './random.js';
import { readMasters, unfinished, type StoreReading } from './store.js';

/** What every test here has: a server of its own, a fleet of processes, journals, and books to balance. */
export interface Stage extends Play {
  readonly server: RedisServer;
  /** Of the test itself; waits for a server that is away. */
  readonly client: Redis;
}

/** The Redis that a fleet uses: one server or several. */
export interface Backing {
  /** How the fleet reaches it. */
  readonly url: string;
  /** Clients of the test to the servers that hold the messages now. */
  masters(): Promise<readonly Redis[]>;
  stop(): Promise<void>;
}

/** A fleet of processes at work, whatever Redis is behind it. */
export interface Play {
  readonly namespace: string;
  readonly fleet: Fleet;
  readonly dice: Random;
  /** Starts so many of each, and waits until all have booted. */
  start(consumers: number, producers: number): Promise<void>;
  /** Writes down when the fault began and ended. */
  fault(name: string, during: () => Promise<void>): Promise<void>;
  /** What was written down so far. */
  entries(): readonly Entry[];
  /** What the server holds, once nobody but this test is connected. */
  read(): Promise<StoreReading>;
  /** Producers end, consumers work until nothing is left, then end too; and the books are balanced. */
  finish(): Promise<Books>;
  /** Balances the books as they are; all processes must have ended. */
  books(): Promise<Books>;
}

/** What a play may differ in. */
export interface PlayOptions {
  /** What every process is told. */
  readonly env?: Readonly<Record<string, string>>;
  /** Changes what was written down, before it is balanced against what the servers hold. */
  readonly edit?: (entries: readonly Entry[]) => readonly Entry[];
}

/** How a stage is set up. */
export interface StageOptions {
  /** Arguments of the server. */
  readonly redis?: readonly string[];
  /** What every process is told. */
  readonly env?: Readonly<Record<string, string>>;
  /** The way of the fleet to the server, if it is not the direct one. */
  readonly url?: (server: RedisServer) => Promise<string>;
}

/** Sets one up; everything ends with the test. The journals of a test that fails are kept. */
export async function openStage({ redis = [], env = {}, url }: StageOptions = {}): Promise<Stage> {
  const server = await startRedis(redis);
  const client = new Redis(server.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const play = await openPlay(
    {
      url: url === undefined ? server.url : await url(server),
      masters: () => Promise.resolve([client]),
      async stop() {
        client.disconnect();
        await server.stop();
      },
    },
    { env },
  );
  return { ...play, server, client };
}

/** Sets up a fleet on any Redis; both end with the test. */
export async function openPlay(
  { url, masters, stop }: Backing,
  { env = {}, edit = (entries) => entries }: PlayOptions = {},
): Promise<Play> {
  const namespace = 'faults';
  const folder = await mkdtemp(join(tmpdir(), 'delay-queue-faults-'));
  const journal = new Journal(folder, 'test');
  const dice = random(runSeed());
  const fleet = new Fleet(inject('programs'), journal, {
    JOURNALS: folder,
    NAMESPACE: namespace,
    REDIS_URL: url,
    ...env,
  });
  console.log(`FAULT_SEED=${dice.seed}, journals in ${folder}`);
  onTestFinished(async ({ task }) => {
    for (const member of fleet.living()) fleet.signal(member, 'SIGCONT');
    await fleet.endAll('SIGKILL');
    await stop();
    if (task.result?.state === 'pass') await rm(folder, { recursive: true, force: true });
  });

  const play: Play = {
    namespace,
    fleet,
    dice,
    async start(consumers, producers) {
      for (let i = 0; i < consumers; i++) fleet.start('consumer');
      for (let i = 0; i < producers; i++) fleet.start('producer', { SEED: String(dice.between(0, 1e9)) });
      await Promise.all(fleet.living().map(({ ready }) => ready));
    },
    async fault(name, during) {
      journal.write({ event: 'fault began', fault: name });
      try {
        await during();
      } finally {
        journal.write({ event: 'fault ended', fault: name });
      }
    },
    entries: () => readJournals(folder),
    async read() {
      const clients = await masters();
      // Redis may still have to do what a process asked before it ended.
      for (const client of clients) await expect.poll(() => strangers(client)).toEqual([]);
      return readMasters(clients, namespace);
    },
    async finish() {
      await fleet.endAll('SIGTERM', 'producer');
      await expect.poll(async () => unfinished(await masters(), namespace)).toBe(0);
      await fleet.endAll('SIGTERM');
      return play.books();
    },
    async books() {
      const books = balance(edit(readJournals(folder)), await play.read());
      const { violations, reruns, ...sums } = books;
      console.log(JSON.stringify({ ...sums, reruns: reruns.length, violations: violations.length }));
      expect(violations.slice(0, 20)).toEqual([]);
      const { handled, cancelled, replaced, dead, pending } = books;
      expect(handled + cancelled + replaced + dead + pending).toBe(books.sent);
      return books;
    },
  };
  return play;
}

/** Connections of other clients; those of other servers and of Sentinel, a slot that moves among them, left out. */
async function strangers(client: Redis): Promise<readonly string[]> {
  const own = ` id=${await client.client('ID')} `;
  const all = String(await client.client('LIST'))
    .trim()
    .split('\n')
    .map((line) => ` ${line}`);
  return all.filter(
    (line) => !line.includes(own) && !/ flags=[MS] | cmd=restore-asking | name=sentinel-/.test(line),
  );
}
