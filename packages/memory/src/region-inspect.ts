import type { Page, RegionCounts, StoredMessage } from '@delay-queue/core';
import { Entry } from './entry.js';
import type { RegionState } from './region-state.js';

/** Counts of a region at `now`, rounded down. */
export function countRegion(region: RegionState, now: number): RegionCounts {
  return {
    waiting: region.waiting.size,
    due: region.waiting.dueCount(now),
    running: region.running,
    dead: region.dead.size,
  };
}

/** How many waiting messages are due by `untilAt`. */
export function countDueBy(region: RegionState, untilAt: number): number {
  let count = 0;
  for (const [, dueAt] of region.waiting.entries()) {
    if (dueAt > untilAt) break;
    count++;
  }
  return count;
}

/** One page of a state, in the order that `EngineInspector.page` promises. */
export function pageOf(
  region: RegionState,
  state: 'waiting' | 'running' | 'dead',
  from: number,
  limit: number,
): Page {
  const messages: StoredMessage[] = [];
  let position = 0;
  for (const entry of entriesOf(region, state)) {
    if (position >= from + limit) return { messages, next: position };
    if (position >= from) messages.push(stored(entry));
    position++;
  }
  return { messages };
}

/** Finds an id in whatever state it is in. */
export function findMessage(region: RegionState, id: string, now: number): StoredMessage | undefined {
  const entry = region.live.get(id) ?? region.dead.get(id);
  if (entry !== undefined) return stored(entry);
  const until = region.seen.until(id, now);
  if (until === undefined) return undefined;
  const counts = { deliveries: 0, failures: 0, crashes: 0 };
  return { id, state: 'handled', dueAt: until, sentAt: 0, ...counts, content: '' };
}

/** Makes a dead letter due now, its failures and crashes counted anew; returns whether it was one. */
export function redriveMessage(region: RegionState, id: string, now: number): boolean {
  const dead = region.exhume(id);
  if (dead === undefined) return false;
  const entry = new Entry(id, dead.content, dead.headers, now, dead.sentAt);
  entry.deliveries = dead.deliveries;
  region.store(entry);
  return true;
}

function* entriesOf(region: RegionState, state: 'waiting' | 'running' | 'dead'): Generator<Entry> {
  if (state === 'dead') yield* region.dead.values();
  else if (state === 'waiting') for (const [entry] of region.waiting.entries()) yield entry;
  else for (const lease of region.leases.inOrder()) yield* lease.held.values();
}

function stored(entry: Entry): StoredMessage {
  const state = entry.reason !== undefined ? 'dead' : entry.lease === undefined ? 'waiting' : 'running';
  return {
    id: entry.id,
    state,
    dueAt: state === 'dead' ? entry.diedAt : entry.dueAt,
    sentAt: entry.sentAt,
    deliveries: entry.deliveries,
    failures: entry.failures,
    crashes: entry.crashes,
    content: entry.content,
    ...(entry.headers === undefined ? undefined : { headers: entry.headers }),
    ...(entry.reason === undefined ? undefined : { reason: entry.reason }),
  };
}
