import type { StoredId } from '../../contract/support/snapshot.js';
import { readLedger, type Account, type Ledger, type Run } from './accounts.js';
import { whyAgain, whySentTwice } from './explain.js';
import type { Entry } from './journal.js';
import { NEWER, type StoreReading } from './store.js';

/** Where every message is, and what is wrong. */
export interface Books {
  /** Sends that resolved: each is in exactly one of the places below. */
  readonly sent: number;
  readonly handled: number;
  readonly cancelled: number;
  readonly dead: number;
  readonly pending: number;
  /** Sends whose outcome nobody knows, and those of them that were stored. */
  readonly unknown: number;
  readonly unknownStored: number;
  readonly refused: number;
  /** Starts of handlers. */
  readonly runs: number;
  /** Second runs by what explains them. */
  readonly again: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** A send and the server round their times to the millisecond, each on its own. */
const ROUNDING_MS = 2;

/** Balances what the processes wrote down against what the server holds. */
export function balance(entries: readonly Entry[], store: StoreReading): Books {
  const ledger = readLedger(entries);
  const violations = [...ledger.violations, ...store.violations];
  const again: Record<string, number> = {};
  const count = { sent: 0, handled: 0, cancelled: 0, dead: 0, pending: 0 };
  let unknown = 0;
  let unknownStored = 0;
  let refused = 0;
  let runs = 0;
  for (const account of ledger.accounts.values()) {
    const stored = store.ids.get(account.id);
    const wrong = (text: string) => void violations.push(`${text}: ${describe(account, stored)}`);
    runs += account.runs.length;
    for (const why of checkRuns(account, ledger, wrong)) again[why] = (again[why] ?? 0) + 1;
    const place = placeOf(account, stored);
    if (account.send === 'sent') {
      count.sent++;
      if (place === undefined) wrong('lost');
      else count[place]++;
    } else if (account.send === 'refused') {
      refused++;
      if (place !== undefined) wrong('refused, and yet stored');
    } else {
      unknown++;
      if (place !== undefined) unknownStored++;
    }
    if (account.send === 'open' && !ledger.kills.has(account.by)) wrong('its send never settled');
    if (account.cancel === 'open' && !ledger.kills.has(account.by)) wrong('its cancel never settled');
    const over = account.runs.at(-1);
    if (stored !== undefined && stored.state !== 'dead' && over?.finishedAt !== undefined) {
      if (whyAgain(over, Infinity, ledger) === undefined) wrong('handled, and yet stored');
    }
    if (stored?.state === 'dead' && account.does !== 'die') wrong(`a dead letter: ${stored.reason}`);
    if (stored !== undefined && account.cancel === 'cancelled') wrong('cancelled, and yet stored');
  }
  for (const id of store.ids.keys()) {
    if (!ledger.accounts.has(id) && !id.startsWith(NEWER)) violations.push(`${id} is stored and unknown`);
  }
  return { ...count, unknown, unknownStored, refused, runs, again, violations };
}

type Place = 'handled' | 'cancelled' | 'dead' | 'pending';

function placeOf({ runs, cancel }: Account, stored: StoredId | undefined): Place | undefined {
  if (stored !== undefined) return stored.state === 'dead' ? 'dead' : 'pending';
  if (cancel === 'cancelled') return 'cancelled';
  if (runs.some(({ finishedAt }) => finishedAt !== undefined)) return 'handled';
  // Nobody heard the answer to the cancel, and nothing else became of the message.
  return cancel === 'open' || cancel === 'TIMEOUT' ? 'cancelled' : undefined;
}

/** Never early, never after a cancel, never again without a reason; returns the reasons. */
function checkRuns(account: Account, ledger: Ledger, wrong: (text: string) => void): string[] {
  const reasons: string[] = [];
  let before: Run | undefined;
  for (const run of account.runs) {
    if (run.startedAt < run.dueAt) wrong(`started ${run.dueAt - run.startedAt} ms early`);
    const earliest = account.sendingAt + account.delayMs - ROUNDING_MS;
    if (run.startedAt < earliest) wrong(`started ${earliest - run.startedAt} ms before its delay was over`);
    if (account.cancel === 'cancelled' && run.startedAt > (account.cancelledAt ?? Infinity)) {
      wrong('ran after it was cancelled');
    }
    if (before !== undefined) {
      const fresh = run.sentAt > before.sentAt;
      if (!fresh && (run.sentAt < before.sentAt || run.attempt <= before.attempt)) {
        wrong('its fencing number did not grow');
      }
      const why =
        whyAgain(before, run.startedAt, ledger) ?? (fresh ? whySentTwice(account, ledger) : undefined);
      if (why === undefined) wrong('ran again, and nothing explains it');
      else reasons.push(why);
    }
    before = run;
  }
  return reasons;
}

function describe(account: Account, stored: StoredId | undefined): string {
  return JSON.stringify({ ...account, stored });
}
