import type { Verdict } from '../engine.js';

/** The most verdicts in one settle. */
export const MAX_VERDICTS = 1_000;
/** The most of them that are not `done`: those cost the store several times as much. */
export const MAX_COSTLY_VERDICTS = 200;

/** Takes from the front of `pending` what one settle may carry. */
export function takeBatch(pending: Verdict[]): Verdict[] {
  if (pending.length <= MAX_COSTLY_VERDICTS) return pending.splice(0);
  let costly = 0;
  let end = 0;
  for (const { verdict } of pending) {
    if (end === MAX_VERDICTS || (verdict !== 'done' && ++costly > MAX_COSTLY_VERDICTS)) break;
    end++;
  }
  return pending.splice(0, end);
}
