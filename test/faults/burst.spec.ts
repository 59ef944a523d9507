import { jumpHashSelector } from '@delay-queue/core';
import { expect, it } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { startsOf, type Start } from './support/bursts.js';
import { pings, slowScripts } from './support/patience.js';
import { openStage, type Stage } from './support/stage.js';
import { TOPIC } from './support/work.js';

const PENDING = 1_000_000;
const DUE = 100_000;
const REGIONS = 5;
/** From when they are sent until the first is due: longer than sending takes. */
const LEAD_MS = 20_000;
const SLOW_US = 10_000;
const PING_P99_MS = 15;
const PING_MAX_MS = 100;
/** Of the own share, while the burst is half done. */
const LEAST_PROGRESS = 0.25;

it(`${DUE} due in one second on top of ${PENDING} pending keep neither Redis nor a region waiting`, async () => {
  const control = await startRedis();
  const stage = await openStage({
    redis: ['--slowlog-log-slower-than', `${SLOW_US}`, '--slowlog-max-len', '10000'],
    env: { LEASE: '30s', REGIONS: `${REGIONS}`, PENDING: `${PENDING}`, DUE: `${DUE}`, LEAD_MS: `${LEAD_MS}` },
  });
  const { fleet } = stage;
  const swell = fleet.start('swell');
  await swell.ready;
  const pinger = fleet.start('pinger', {
    CONTROL_URL: control.url,
    SERVER_PID: `${stage.server.process.pid}`,
  });
  const consumers = [fleet.start('troubled'), fleet.start('troubled')];
  await Promise.all([pinger, ...consumers].map(({ ready }) => ready));
  const slow: (readonly string[])[] = [];
  for (const name of ['due1', 'due2']) {
    await stage.client.slowlog('RESET');
    const began = Date.now();
    fleet.signal(swell, 'SIGUSR2');
    await expect.poll(() => stored(stage), { interval: 500 }).toBe(PENDING + DUE);
    await expect.poll(() => stored(stage), { interval: 500 }).toBe(PENDING);
    slow.push(await slowScripts(stage.client, stage.entries(), SLOW_US / 1_000));
    const starts = startsOf(stage, name);
    const sent = range(starts.map(({ sentAt }) => sentAt)).last;
    const due = range(starts.map(({ dueAt }) => dueAt)).first;
    const done = range(starts.map(({ at }) => at)).last;
    console.log(
      `${name}: sent in ${sent - began} ms, handled in ${done - due} ms; slow: ${slow.at(-1)?.join()}`,
    );
    expectPatience(stage, 'while they are sent', began, sent);
    expectPatience(stage, 'while they are handled', due, done);
    expectAllOnce(starts);
    expectBurst(starts);
    expectInOrder(starts);
    expectAllProgress(starts);
  }
  expect(slow[1]?.filter((script) => slow[0]?.includes(script))).toEqual([]);
  await fleet.endAll('SIGTERM');
  await control.stop();
});

/** How many messages the regions hold. */
async function stored({ client, namespace }: Stage): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: REGIONS }, (_, index) => client.hlen(`{${namespace}:${TOPIC}:${index}}:message`)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function expectPatience(stage: Stage, when: string, from: number, to: number): void {
  const { main, control } = pings(stage.entries(), from, to);
  console.log(`${when}: PING ${JSON.stringify(main)}; idle server ${JSON.stringify(control)}`);
  expect(main.p99).toBeLessThanOrEqual(PING_P99_MS);
  expect(main.max).toBeLessThanOrEqual(PING_MAX_MS + control.max);
}

function expectAllOnce(starts: readonly Start[]): void {
  expect(starts).toHaveLength(DUE);
  expect(new Set(starts.map(({ id }) => id)).size).toBe(DUE);
}

/** All were sent before the first was due, and within a second all were. */
function expectBurst(starts: readonly Start[]): void {
  const [due, sent] = [starts.map(({ dueAt }) => dueAt), starts.map(({ sentAt }) => sentAt)].map(range);
  expect(sent?.last).toBeLessThan(due?.first ?? 0);
  expect((due?.last ?? Infinity) - (due?.first ?? 0)).toBeLessThan(1_000);
}

function range(times: readonly number[]): { readonly first: number; readonly last: number } {
  const sorted = times.toSorted((a, b) => a - b);
  return { first: sorted[0] ?? NaN, last: sorted.at(-1) ?? NaN };
}

/** Each process began those of a region in the order in which they were due. */
function expectInOrder(starts: readonly Start[]): void {
  for (const [where, some] of grouped(starts, ({ by, id }) => `${by}, region ${regionOf(id)}`)) {
    const early = some.filter(({ dueAt }, i) => dueAt < (some[i - 1]?.dueAt ?? 0));
    expect([where, early.slice(0, 3)]).toEqual([where, []]);
  }
}

function expectAllProgress(starts: readonly Start[]): void {
  const half = starts.slice(0, starts.length / 2);
  const begun = grouped(half, ({ id }) => regionOf(id));
  for (const [region, all] of grouped(starts, ({ id }) => regionOf(id))) {
    const share = (begun.get(region)?.length ?? 0) / all.length;
    expect([region, share >= LEAST_PROGRESS]).toEqual([region, true]);
  }
}

const regionOf = (id: string): number => jumpHashSelector.select(id, REGIONS);

function grouped<K>(starts: readonly Start[], keyOf: (start: Start) => K): ReadonlyMap<K, readonly Start[]> {
  const groups = new Map<K, Start[]>();
  for (const start of starts) {
    const group = groups.get(keyOf(start));
    if (group === undefined) groups.set(keyOf(start), [start]);
    else group.push(start);
  }
  return groups;
}
