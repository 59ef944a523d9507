import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openStage, type Stage } from './support/stage.js';
import { NEWER } from './support/store.js';
import { TOPIC } from './support/work.js';

const INSTANCES = 3;
/** The region counts of the deploys; the first is the one everything starts with. */
const COUNTS = [5, 8, 3];
const NEWER_PER_REGION = 2;

it(`rolling deploys from ${COUNTS.join(' to ')} regions lose nothing, and keep what a newer version wrote`, async () => {
  // Some handlers take longer than the drain: those are given back.
  const stage = await openStage({ env: { LEASE: '5s', DRAIN: '1s', SLOW_MS: '2500', PER_BURST: '6' } });
  const newer = new Map<string, string>();
  for (const [deploy, count] of COUNTS.entries()) {
    await roll(stage, String(count));
    if (deploy > 0) for (const [id, text] of await putNewer(stage, count)) newer.set(id, text);
    await pass(1500);
  }
  // Back to the same count: a deploy without a change, while records of a newer version lie there.
  await roll(stage, String(COUNTS.at(-1)));

  const books = await stage.finish();
  expect(books.sent).toBeGreaterThan(1000);
  expect(books.pending).toBe(0);
  expect(books.unknown).toBe(0);
  expect(await newerIn(stage)).toEqual(newer);
  const entries = stage.entries();
  expect(entries.filter((entry) => entry.event === 'started' && entry.id.startsWith(NEWER))).toEqual([]);
  const told = entries.filter(({ event }) => event === 'log').map((entry) => JSON.stringify(entry));
  expect(told.some((line) => line.includes('only a newer version can read'))).toBe(true);
  const { regions } = await stage.read();
  expect(regions.filter((region) => region.startsWith(TOPIC))).toHaveLength(Math.max(...COUNTS));
});

/** One after the other the processes of the fleet are replaced; as many are started where there were none. */
async function roll({ fleet, dice }: Stage, REGIONS: string): Promise<void> {
  const old = [...fleet.living('consumer'), ...fleet.living('producer')];
  const programs = old.length > 0 ? old.map(({ program }) => program) : first();
  for (const [i, program] of programs.entries()) {
    const next = fleet.start(program, { REGIONS, SEED: String(dice.between(0, 1e9)) });
    await next.ready;
    const previous = old[i];
    if (previous !== undefined) await fleet.end(previous, 'SIGTERM');
  }
}

const first = () => [...Array.from({ length: INSTANCES }, () => 'consumer' as const), 'producer' as const];

/** Due messages in a form that this version cannot read; returns them by id. */
async function putNewer({ client, namespace }: Stage, regions: number): Promise<Map<string, string>> {
  const put = new Map<string, string>();
  const hex = Date.now().toString(16).padStart(11, '0');
  for (let region = 0; region < regions; region++) {
    for (let i = 0; i < NEWER_PER_REGION; i++) {
      const id = `${NEWER}${regions}-${region}-${i}`;
      const tag = `{${namespace}:${TOPIC}:${region}}`;
      const envelope = `3${hex}${hex}\u0001what only a newer version knows`;
      await client
        .multi()
        .hset(`${tag}:message`, id, envelope)
        .zadd(`${tag}:due`, Number.parseInt(hex, 16), id)
        .exec();
      put.set(id, envelope);
    }
  }
  return put;
}

/** Every message that lies there, waiting for its time. */
async function newerIn(stage: Stage): Promise<Map<string, string>> {
  const { client, namespace } = stage;
  const found = new Map<string, string>();
  for (const region of (await stage.read()).regions) {
    const tag = `{${namespace}:${region}}`;
    const messages = await client.hgetall(`${tag}:message`);
    for (const [id, envelope] of Object.entries(messages)) {
      expect(await client.zscore(`${tag}:due`, id), `${id} waits`).not.toBeNull();
      found.set(id, envelope);
    }
  }
  return found;
}
