import { expect } from 'vitest';
import { readLedger, type Span } from './accounts.js';
import type { Books } from './books.js';
import { BREAKABLE, FAULTS, type FaultName } from './faults.js';
import type { Entry } from './journal.js';
import { openStage, type Play, type Stage, type StageOptions } from './stage.js';

/** Shorter than long outages, so that leases run out; long enough for the processes of a busy machine to renew. */
const LEASE = '5s';
/** Some handlers are at work when the server goes away. */
const SLOW_MS = '2500';
const CONSUMERS = 2;
const PRODUCERS = 2;
/** Messages that are sent and handled before and after a fault. */
const AT_WORK = 250;

/** What became of a stage. */
export interface Passed {
  readonly stage: Stage;
  readonly books: Books;
}

/** Work, each fault for so many milliseconds and work after it, the end; then the books balance. */
export function throughFaults(
  faults: readonly (readonly [FaultName, forMs: number])[],
  options: StageOptions = {},
): Promise<Passed> {
  return through(async (stage) => {
    for (const [name, forMs] of faults) {
      await stage.fault(name, () => FAULTS[name](stage, forMs));
      await worked(stage);
    }
  }, options);
}

/** Work, whatever befalls it, work again, the end; then the books balance, and nobody who lived was robbed. */
export async function through(
  befalls: (stage: Stage) => Promise<void>,
  options: StageOptions = {},
): Promise<Passed> {
  const stage = await openStage({ ...BREAKABLE, env: { LEASE, SLOW_MS }, ...options });
  await stage.start(CONSUMERS, PRODUCERS);
  await worked(stage);
  await befalls(stage);
  await worked(stage);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expectNobodyRobbed(books);
  return { stage, books };
}

/** Waits until some more messages have been sent, and some handled, than now. */
export async function worked(play: Play): Promise<void> {
  const count = (event: string, since: number) =>
    play.entries().filter((entry) => entry.event === event && entry.at > since).length;
  const now = Date.now();
  await expect.poll(() => count('sent', now), { interval: 500 }).toBeGreaterThan(AT_WORK);
  await expect.poll(() => count('finished', now), { interval: 500 }).toBeGreaterThan(AT_WORK);
}

/** What ran again failed before, or was sent again because an answer was lost in a fault. */
export function expectNobodyRobbed({ again }: Books): void {
  const robbed = Object.keys(again).filter(
    (why) => why !== 'the handler threw' && !why.endsWith('sent twice'),
  );
  expect(robbed).toEqual([]);
}

/** A send whose last try is under way when its time is over cannot know more. */
export const UNDER_WAY = 'TIMEOUT, may be stored';
/** What a send may always say whose time is over; without a doubt if it stood behind another call and never left. */
export const OUT_OF_TIME: readonly string[] = [UNDER_WAY, 'TIMEOUT'];

/** The sends that were rejected. */
export function rejected(stage: Stage): readonly Entry[] {
  return stage.entries().filter(({ event }) => event === 'send failed');
}

/** How many sends were rejected from the beginning of each fault to that of the next, by code. */
export function rejections(stage: Stage): ReadonlyMap<string, Readonly<Record<string, number>>> {
  const entries = stage.entries();
  const { faults } = readLedger(entries);
  const until = ({ from }: Span) => Math.min(...faults.map((next) => next.from).filter((at) => at > from));
  return new Map(
    faults.map((fault) => {
      const counts: Record<string, number> = {};
      for (const entry of entries) {
        if (entry.event !== 'send failed' || entry.at < fault.from || entry.at >= until(fault)) continue;
        const code = entry.mayBeStored ? `${entry.code}, may be stored` : entry.code;
        counts[code] = (counts[code] ?? 0) + 1;
      }
      return [fault.name, counts];
    }),
  );
}
