import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StoredId } from '../contract/support/snapshot.js';
import { freePort, startRedis, type RedisServer } from '../support/redis-server.js';
import { startClosing, type Closing, type Ending } from './support/closing.js';
import type { Deed } from './support/deeds.js';
import { pooled } from './support/pooled.js';
import { random, runSeed } from './support/random.js';
import { readStore, type StoreReading } from './support/store.js';
import { sendAll, succeed, type Place } from './support/successor.js';

const DRAIN_MS = 1500;
/** All that a stop may take besides the drain. */
const REST_MS = 1000;
/** Where nothing but giving back can explain that others get a message. */
const LONG_LEASE = '1h';
/** Where the lease has to run out. */
const SHORT_LEASE = '1500ms';
/** Nobody can end such a pause. */
const PAUSE_MS = 5000;
/** Processes that start at the same time. */
const AT_A_TIME = 3;
/** For each process; far more than it can handle until it is told to stop. */
const MESSAGES = 800;
const CONCURRENCY = 8;

const DEEDS: readonly Deed[] = ['hanging', 'too slow', 'slow', 'throwing', 'putting', 'quick'];

const WAYS = [
  { way: 'app.close()', signal: 'SIGUSR2' },
  { way: 'SIGTERM', signal: 'SIGTERM' },
] as const;
type Way = (typeof WAYS)[number];

/** What is wrong with Redis at the stop, and how it is put right afterwards. */
interface State {
  readonly state: string;
  breaks(server: RedisServer, client: Redis): unknown;
  heals(server: RedisServer): unknown;
}

const STATES: readonly State[] = [
  { state: 'up', breaks: () => undefined, heals: () => undefined },
  { state: 'killed', breaks: (server) => server.signal('SIGKILL'), heals: (server) => server.restart() },
  {
    state: 'standing still',
    breaks: (server) => server.signal('SIGSTOP'),
    heals: (server) => server.signal('SIGCONT'),
  },
  {
    state: 'making all clients pause',
    breaks: (_, client) => client.call('CLIENT', 'PAUSE', `${PAUSE_MS}`, 'ALL'),
    heals: () => undefined,
  },
];

/** A process that handlers of one kind run in, and its data. */
interface Scene {
  readonly deed: Deed;
  readonly place: Place;
  readonly client: Redis;
  readonly child: Closing;
}

/** A process of which the stop is over. */
interface Stopped extends Ending {
  /** From being told to the end, less the time for which the machine kept the process waiting for a processor. */
  readonly tookMs: number;
}

async function stop(child: Closing, { signal }: Way): Promise<Stopped> {
  child.signal(signal);
  const ending = await child.ended;
  const [from] = child.said('stopping');
  const [to] = child.said('stopped');
  if (from === undefined || to === undefined) throw new Error(`${JSON.stringify(ending)}: it said no word`);
  return { ...ending, tookMs: to.at - from.at - (to.waitedMs - from.waitedMs) };
}

/** It ended by itself, in time and without a sound, and started nothing after it was told. */
function expectOrderly(child: Closing, { code, signal, errors, tookMs }: Stopped, way: Way, up: boolean) {
  const told = child.lines.findIndex(({ event }) => event === 'stopping');
  expect(child.lines.slice(told).filter(({ event }) => event === 'started')).toEqual([]);
  expect([...child.said('warning'), ...child.said('unhandled'), errors]).toEqual(['']);
  expect(tookMs).toBeLessThanOrEqual(DRAIN_MS + REST_MS);
  const [last] = child.said('sent').filter(({ id }) => id === 'last');
  if (up) expect(last?.outcome).toBe('stored');
  else expect(last?.outcome).toMatch(/^(TIMEOUT|UNAVAILABLE|CLOSED)$/);
  if (way.signal === 'SIGTERM') {
    expect({ code, signal }).toEqual({ code: null, signal: 'SIGTERM' });
  } else {
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    expect(child.said('closed')).toMatchObject([{ code: 'CLOSED', active: [] }]);
  }
}

const ids = (lines: readonly { readonly id: string }[]) => lines.map(({ id }) => id);
/** What somebody has to run now. */
const undone = ({ ids: stored }: StoreReading) =>
  [...stored].filter(([, { state, at }]) => state === 'running' || (state === 'waiting' && at <= Date.now()));

/** The store knows of every end: nothing is held, and what did not end is due again at once, uncounted. */
function expectGivenBack({ deed, child }: Scene, store: StoreReading): void {
  expect(store.violations).toEqual([]);
  expect([...store.ids.values()].filter(({ state }) => state === 'running')).toEqual([]);
  const finished = new Set(ids(child.said('finished')));
  for (const { id } of child.said('started')) {
    if (finished.has(id)) expect(store.ids.has(id), `${deed} ${id}`).toBe(false);
    else expect(endOf(store.ids.get(id)), `${deed} ${id}`).toEqual(ENDS[deed](id));
  }
  const aborted = child.said('aborted');
  expect(aborted).toHaveLength(deed === 'hanging' || deed === 'too slow' ? CONCURRENCY : 0);
  const [told] = child.said('stopping');
  for (const { at } of aborted) expect(at - (told?.at ?? Infinity)).toBeGreaterThanOrEqual(DRAIN_MS - 2);
}

/** What the store knows of messages that were begun and not finished. */
const GIVEN_BACK = { state: 'waiting', due: true, deliveries: 1, failures: 0, crashes: 0 };
const ENDS: Readonly<Record<Deed, (id: string) => unknown>> = {
  hanging: () => GIVEN_BACK,
  'too slow': () => GIVEN_BACK,
  slow: () => GIVEN_BACK,
  quick: () => GIVEN_BACK,
  throwing: () => ({ ...GIVEN_BACK, due: false, failures: 1 }),
  putting: (id) =>
    id.endsWith('0')
      ? { ...GIVEN_BACK, state: 'dead', due: true, failures: 1 }
      : { ...GIVEN_BACK, due: false },
};

function endOf(stored: StoredId | undefined): unknown {
  if (stored === undefined) return undefined;
  const { state, at, deliveries, failures, crashes } = stored;
  return { state, due: at <= Date.now(), deliveries, failures, crashes };
}

/** Nothing is lost, and nothing of which the store knows the end ran once more. */
function expectAllRun(
  { deed, child }: Scene,
  store: StoreReading,
  ran: ReadonlyMap<string, number>,
  up: boolean,
) {
  const started = new Set(ids(child.said('started')));
  const finished = new Set(ids(child.said('finished')));
  const given = deed === 'hanging' || deed === 'too slow';
  expect(store.violations).toEqual([]);
  for (let i = 0; i < MESSAGES; i++) {
    const id = `m${i}`;
    const attempt = ran.get(id);
    const settled = finished.has(id) || store.ids.has(id);
    if (attempt === undefined) expect(settled, `${deed}: ${id} is not lost`).toBe(true);
    else if (up && !given) expect(started.has(id), `${deed}: ${id} ran again`).toBe(false);
    if (given && started.has(id)) expect(attempt, `${deed}: ${id}`).toBeGreaterThanOrEqual(2);
    if (up && !started.has(id)) expect(attempt, `${deed}: ${id}`).toBe(1);
  }
}

describe.each(WAYS)('$way', (way) => {
  it.each(STATES)('with Redis $state ends in time, and others get what was not done', async (state) => {
    const up = state.state === 'up';
    const dice = random(runSeed());
    const server = await startRedis(['--appendonly', 'yes']);
    onTestFinished(() => server.stop());
    const scenes = await pooled(AT_A_TIME, DEEDS, (deed) => set(deed, server, up ? LONG_LEASE : SHORT_LEASE));

    await Promise.all(scenes.map(({ place }) => sendAll(place, MESSAGES)));
    for (const { child } of scenes) {
      await expect
        .poll(() => child.said('started').length, { interval: 10 })
        .toBeGreaterThanOrEqual(CONCURRENCY);
    }
    const [first] = scenes;
    if (first !== undefined) await state.breaks(server, first.client);
    await pass(dice.between(0, 200));
    const stops = await Promise.all(scenes.map(({ child }) => stop(child, way)));
    console.log(`FAULT_SEED=${dice.seed}`);
    console.log(
      `${way.way}, Redis ${state.state}: ${stops.map(({ tookMs }) => Math.round(tookMs)).join(' ')} ms`,
    );

    for (const [i, scene] of scenes.entries()) {
      const stopped = stops[i];
      if (stopped === undefined) continue;
      expectOrderly(scene.child, stopped, way, up);
      if (up) expectGivenBack(scene, await readStore(scene.client, scene.place.namespace));
    }
    await state.heals(server);
    await Promise.all(
      scenes.map(async (scene) => {
        const { client, place } = scene;
        const ran = await succeed(place);
        await expect.poll(async () => undone(await readStore(client, place.namespace))).toEqual([]);
        expectAllRun(scene, await readStore(client, place.namespace), ran, up);
      }),
    );
  });

  it('with Redis never there ends in time', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const child = startClosing('closing', {
      REDIS_URL: url,
      NAMESPACE: 'never',
      DRAIN_MS: `${DRAIN_MS}`,
      LEASE: SHORT_LEASE,
    });
    await expect.poll(() => child.said('ready').length).toBe(1);
    const stopped = await stop(child, way);
    expectOrderly(child, stopped, way, false);
  });
});

/** Starts a process on a database of its own, and waits until it has booted. */
async function set(deed: Deed, server: RedisServer, lease: string): Promise<Scene> {
  const place = { url: `${server.url}/${DEEDS.indexOf(deed)}`, namespace: deed.replace(' ', '-'), lease };
  const client = new Redis(place.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  const { url: REDIS_URL, namespace: NAMESPACE } = place;
  const child = startClosing('closing', {
    REDIS_URL,
    NAMESPACE,
    LEASE: lease,
    DRAIN_MS: `${DRAIN_MS}`,
    DEED: deed,
  });
  await expect.poll(() => child.said('ready').length).toBe(1);
  return { deed, place, client, child };
}
