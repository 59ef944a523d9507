import type { Account, Ledger, Run } from './accounts.js';
import { whyAgain, whyTwice, type Cause } from './explain.js';
import type { Version } from './versions.js';

/** A send and the server round their times to the millisecond, each on its own. */
const ROUNDING_MS = 2;

/** A message ran again, and a recorded event explains it. */
export interface Rerun {
  readonly before: Run;
  readonly run: Run;
  readonly cause: Cause;
}

/**
 * The runs of one message: never early, never after a call said that it is gone, never again without a reason.
 * Returns those that ran again.
 */
export function checkVersion(version: Version, ledger: Ledger, wrong: (text: string) => void): Rerun[] {
  const { runs, send, stored } = version;
  if (stored === 'no' && runs.length > 0) wrong('not stored, and yet it ran');
  for (const run of runs) {
    if (run.startedAt < run.dueAt) wrong(`started ${run.dueAt - run.startedAt} ms early`);
    const earliest = earliestStart(version, run) - ROUNDING_MS;
    if (run.startedAt < earliest) wrong(`started ${earliest - run.startedAt} ms before its delay was over`);
  }
  checkGone(version, wrong);
  const reruns: Rerun[] = [];
  for (const [i, run] of runs.entries()) {
    const before = runs[i - 1];
    if (before === undefined) continue;
    const fresh = run.sentAt > before.sentAt;
    const cause = whyAgain(before, run.startedAt, ledger) ?? (fresh ? whyTwice(send, ledger) : undefined);
    if (cause === undefined) wrong('ran again, and nothing explains it');
    else reruns.push({ before, run, cause });
  }
  return reruns;
}

/** When it may run: by its send, or by the last reschedule that was answered before it did. */
function earliestStart({ send, moves }: Version, { startedAt }: Run): number {
  let earliest = send.at + send.delayMs;
  for (const { at, delayMs, done, answeredAt = Infinity } of moves) {
    if (done === 'yes' && answeredAt < startedAt) earliest = at + delayMs;
    else if (at <= startedAt) earliest = Math.min(earliest, at + delayMs);
  }
  return earliest;
}

/** Of one that was running when its follower was queued, the delivery may have been claimed and not yet started. */
function checkGone({ gone, runs }: Version, wrong: (text: string) => void): void {
  const late = runs.filter(({ decidedAt }) => decidedAt > (gone?.answeredAt ?? Infinity));
  if (late.length > (gone?.answer === 'queued' ? 1 : 0)) wrong(`ran after its ${gone?.verb} was answered`);
}

/** The runs of one id: its fencing number grows, and no two of its messages run at once without a reason. */
export function checkId({ runs }: Account, ledger: Ledger, wrong: (text: string) => void): void {
  for (const [i, run] of runs.entries()) {
    const before = runs[i - 1];
    if (before === undefined) continue;
    const grew = run.sentAt - before.sentAt || run.attempt - before.attempt;
    if (grew <= 0) wrong('its fencing number did not grow');
    const over = before.finishedAt ?? before.threwAt ?? Infinity;
    if (over > run.startedAt && whyAgain(before, run.startedAt, ledger) === undefined) {
      if (before.version !== run.version) wrong('two of its messages ran at once, and nothing explains it');
    }
  }
}
