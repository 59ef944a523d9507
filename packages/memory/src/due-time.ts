import type { Due } from '@delay-queue/core';

/**
 * The due time in whole milliseconds: never before the moment asked for, a moment in the past is now, and
 * what no date can express becomes the last number that is exact.
 *
 * @param now the store's now, rounded up
 * @throws RangeError where it is not a number: before anything was changed
 */
export function dueTime(due: Due, now: number): number {
  const at = Math.ceil('at' in due ? due.at : now + due.delayMs);
  if (Number.isNaN(at)) throw new RangeError('a due time must be a number of milliseconds, got NaN');
  return Math.min(Math.max(at, now), Number.MAX_SAFE_INTEGER);
}
