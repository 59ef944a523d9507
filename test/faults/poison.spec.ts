import { expect, it } from 'vitest';
import { readLedger } from './support/accounts.js';
import { balance } from './support/books.js';
import { burst } from './support/bursts.js';
import type { Entry } from './support/journal.js';
import { openStage, type Stage } from './support/stage.js';
import { unfinished } from './support/store.js';
import type { Burst } from './support/trouble.js';

/** The default of `retry.crashes`. */
const CRASHES = 5;
const CONSUMERS = 3;
const INNOCENT = 600;
/** Over so long everything is spread. */
const SPREAD_MS = 15_000;

it.each<[string, Burst[]]>([
  ['one message that kills its process', [poison('kills', 1)]],
  ['several messages that kill or crash theirs', [poison('kills', 2), poison('crashes', 2)]],
])('%s again and again: a dead letter, and none of the hundreds around', async (_what, poisons) => {
  const stage = await openStage({ env: { LEASE: '2s' } });
  const { fleet } = stage;
  const stop = new AbortController();
  const keepers = Array.from({ length: CONSUMERS }, () => keepUp(stage, stop.signal));
  await burst(stage, [
    ...poisons,
    { name: 'innocent', count: INNOCENT, delayMs: [0, SPREAD_MS], trouble: { kind: 'works', ms: 50 } },
    { name: 'slow', count: INNOCENT / 10, delayMs: [0, SPREAD_MS], trouble: { kind: 'works', ms: 1_000 } },
  ]);
  await expect.poll(() => unfinished([stage.client], stage.namespace)).toBe(0);
  stop.abort();
  await fleet.endAll('SIGTERM');
  await Promise.all(keepers);

  const entries = withoutSuicides(stage.entries());
  const store = await stage.read();
  const books = balance(entries, store);
  const { accounts, kills } = readLedger(entries);
  console.log(`${kills.size} processes died, ran again: ${JSON.stringify(books.again)}`);
  expect(books.violations).toEqual([]);
  const died = [...store.ids].filter(([, { state }]) => state === 'dead');
  expect(died.map(([id]) => id).sort()).toEqual(poisons.flatMap(idsOf).sort());
  for (const [id, { reason, crashes }] of died) {
    expect(reason, id).toBe(`${CRASHES + 1} deliveries ended in a lost lease`);
    expect(crashes).toBe(CRASHES + 1);
    expect(accounts.get(id)?.runs.length, `runs of ${id}`).toBeLessThanOrEqual(CRASHES + 1);
  }
  expect(Object.keys(books.again)).toEqual(['kill -9']);
});

function poison(kind: 'kills' | 'crashes', count: number): Burst {
  return { name: `poison ${kind}`, count, delayMs: [500, SPREAD_MS / 2], trouble: { kind } };
}

const idsOf = ({ name, count }: Burst) => Array.from({ length: count }, (_, i) => `${name}-${i}`);

/** A consumer, and another one as soon as it has died. */
async function keepUp({ fleet }: Stage, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) await fleet.start('troubled').ended;
}

/** A process that wrote down that it was killed by its own handler ended as it had to. */
function withoutSuicides(entries: readonly Entry[]): readonly Entry[] {
  const own = new Set<string>();
  for (const entry of entries)
    if (entry.event === 'signalled' && entry.by === entry.target) own.add(entry.by);
  return entries.map((entry) =>
    entry.event === 'ended' && own.has(entry.target) ? { ...entry, asked: true } : entry,
  );
}
