import type { Due } from '@delay-queue/core';

/** A due time as the scripts take it: a delay in whole ms, or `@` and an epoch time in ms. Fractions round up. */
export function dueArgument(due: Due): string {
  return 'at' in due ? `@${Math.max(0, Math.ceil(due.at))}` : `${Math.max(0, Math.ceil(due.delayMs))}`;
}
