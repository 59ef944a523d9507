import type { Entry } from './journal.js';

/** How long after its due time each message began its first delivery, ms, in ascending order. */
export function lateness(entries: readonly Entry[]): readonly number[] {
  const late: number[] = [];
  for (const entry of entries) {
    if (entry.event === 'started' && entry.attempt === 1) late.push(entry.at - entry.dueAt);
  }
  return late.sort((a, b) => a - b);
}

/** The one in the middle; `undefined` of none. */
export function median(sorted: readonly number[]): number | undefined {
  return sorted[Math.floor(sorted.length / 2)];
}
