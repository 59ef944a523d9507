import type { StoredId } from '../../contract/support/snapshot.js';
import { readLedger, type Account } from './accounts.js';
import { checkId, checkVersion, type Rerun } from './check-runs.js';
import { whyAgain } from './explain.js';
import type { Entry } from './journal.js';
import { NEWER, type StoreReading } from './store.js';
import { isStored, placeOf, versionsOf, type Place } from './versions.js';

/** Where every message is, and what is wrong. */
export interface Books extends Readonly<Record<Place, number>> {
  /** Sends that resolved and stored: each is in exactly one of the places above. */
  readonly sent: number;
  /** Sends that resolved and found the id taken. */
  readonly duplicates: number;
  /** Sends whose outcome nobody knows, and those of them that were stored. */
  readonly unknown: number;
  readonly unknownStored: number;
  readonly refused: number;
  /** Reschedules that were carried out. */
  readonly moved: number;
  /** Starts of handlers. */
  readonly runs: number;
  /** Second runs by what explains them. */
  readonly again: Readonly<Record<string, number>>;
  readonly reruns: readonly Rerun[];
  readonly violations: readonly string[];
}

/** Balances what the processes wrote down against what the server holds. */
export function balance(entries: readonly Entry[], store: StoreReading): Books {
  const ledger = readLedger(entries);
  const violations = [...ledger.violations, ...store.violations];
  const again: Record<string, number> = {};
  const reruns: Rerun[] = [];
  const places: Record<Place, number> = { handled: 0, cancelled: 0, replaced: 0, dead: 0, pending: 0 };
  const count = { sent: 0, duplicates: 0, unknown: 0, unknownStored: 0, refused: 0, moved: 0, runs: 0 };
  for (const account of ledger.accounts.values()) {
    const held = store.ids.get(account.id);
    const wrong = (text: string) => void violations.push(`${text}: ${describe(account, held)}`);
    count.runs += account.runs.length;
    checkId(account, ledger, wrong);
    for (const call of account.calls) {
      if (call.verb === 'reschedule' && call.done === 'yes') count.moved++;
      if (call.answer === undefined && !ledger.kills.has(call.by)) wrong(`its ${call.verb} never settled`);
    }
    for (const version of versionsOf(account, ledger)) {
      const { stored, send, runs, taken } = version;
      for (const rerun of checkVersion(version, ledger, wrong)) {
        reruns.push(rerun);
        const { why } = rerun.cause;
        again[why] = (again[why] ?? 0) + 1;
      }
      const place = placeOf(version, held);
      if (stored === 'yes') {
        count.sent++;
        if (place === undefined) wrong('lost');
        else places[place]++;
      } else if (stored === 'no') {
        count[send.answer === 'duplicate' ? 'duplicates' : 'refused']++;
      } else {
        count.unknown++;
        if (place !== undefined) count.unknownStored++;
      }
      if (!isStored(version, held)) continue;
      if (stored === 'no') wrong('not stored, and yet there');
      if (taken !== undefined && !(taken.answer === 'queued' && held?.state === 'running')) {
        wrong(`${taken.answer}, and yet stored`);
      }
      const over = runs.at(-1);
      if (place === 'pending' && over?.finishedAt !== undefined) {
        if (whyAgain(over, Infinity, ledger) === undefined) wrong('handled, and yet stored');
      }
      if (place === 'dead' && send.does !== 'die') wrong(`a dead letter: ${held?.reason}`);
    }
  }
  for (const id of store.ids.keys()) {
    if (!ledger.accounts.has(id) && !id.startsWith(NEWER)) violations.push(`${id} is stored and unknown`);
  }
  return { ...places, ...count, again, reruns, violations };
}

function describe(account: Account, stored: StoredId | undefined): string {
  return JSON.stringify({ ...account, stored });
}
