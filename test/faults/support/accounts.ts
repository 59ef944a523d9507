import type { Entry } from './journal.js';
import type { Does } from './work.js';

/** One start of a handler, and how it ended. */
export interface Run {
  readonly by: string;
  readonly id: string;
  readonly attempt: number;
  readonly sentAt: number;
  readonly dueAt: number;
  readonly startedAt: number;
  finishedAt?: number;
  threwAt?: number;
  aborted?: string;
}

/** What the journals say of one message. */
export interface Account {
  readonly id: string;
  readonly by: string;
  readonly sendingAt: number;
  readonly delayMs: number;
  readonly does: Does;
  /** `open`: no answer was written down. */
  send: 'open' | 'sent' | 'unknown' | 'refused';
  answeredAt?: number;
  cancel?: string;
  cancelledAt?: number;
  /** By time. */
  readonly runs: Run[];
}

/** A time between two events. */
export interface Span {
  readonly name: string;
  readonly from: number;
  to: number;
}

/** The journals, put in order. */
export interface Ledger {
  readonly accounts: ReadonlyMap<string, Account>;
  /** Process → from the signal to its end. */
  readonly kills: ReadonlyMap<string, Span>;
  /** When a process was made to stand still, by the name of the process. */
  readonly standstills: readonly Span[];
  /** Process → when it said that a lease was lost. */
  readonly lostLeases: ReadonlyMap<string, readonly number[]>;
  readonly faults: readonly Span[];
  readonly violations: readonly string[];
}

/** Puts the journals in order; what cannot be true of any run is a violation. */
export function readLedger(entries: readonly Entry[]): Ledger {
  const accounts = new Map<string, Account>();
  const kills = new Map<string, Span>();
  const lostLeases = new Map<string, number[]>();
  const standstills: Span[] = [];
  const faults: Span[] = [];
  const runs = new Map<string, Run>();
  const violations: string[] = [];
  const account = (id: string, change: (found: Account) => void) => {
    const found = accounts.get(id);
    if (found === undefined) violations.push(`${id} was never sent`);
    else change(found);
  };
  // A message may be due, and handled elsewhere, in the millisecond in which it is sent.
  for (const entry of entries) {
    if (entry.event !== 'sending') continue;
    const { id, by, at, delayMs, does } = entry;
    accounts.set(id, { id, by, sendingAt: at, delayMs, does, send: 'open', runs: [] });
  }
  for (const entry of entries) {
    const { at, by } = entry;
    switch (entry.event) {
      case 'sent':
        account(entry.id, (found) => Object.assign(found, { send: 'sent', answeredAt: at }));
        break;
      case 'send failed': {
        const send = entry.mayBeStored ? 'unknown' : 'refused';
        account(entry.id, (found) => Object.assign(found, { send, answeredAt: at }));
        break;
      }
      case 'cancelling':
        account(entry.id, (found) => (found.cancel = 'open'));
        break;
      case 'cancel answered':
        account(entry.id, (found) => Object.assign(found, { cancel: entry.outcome, cancelledAt: at }));
        break;
      case 'cancel failed':
        account(entry.id, (found) => (found.cancel = entry.code));
        break;
      case 'started': {
        const { id, attempt, sentAt, dueAt } = entry;
        const run: Run = { by, id, attempt, sentAt, dueAt, startedAt: at };
        runs.set(`${by} ${id} ${sentAt} ${attempt}`, run);
        account(id, (found) => found.runs.push(run));
        break;
      }
      case 'finished':
      case 'threw':
      case 'aborted': {
        const run = runs.get(`${by} ${entry.id} ${entry.sentAt} ${entry.attempt}`);
        if (run === undefined) violations.push(`${entry.id} ended in ${by} without a start`);
        else if (entry.event === 'finished') run.finishedAt = at;
        else if (entry.event === 'threw') run.threwAt = at;
        else run.aborted = entry.why;
        break;
      }
      case 'log':
        if (entry.message.startsWith('A lease was lost'))
          lostLeases.set(by, [...(lostLeases.get(by) ?? []), at]);
        if (entry.message.startsWith('Consuming met an unexpected error')) {
          violations.push(`${by}: ${entry.message} ${JSON.stringify(entry.details)}`);
        }
        break;
      case 'signalled':
        if (entry.signal === 'SIGKILL') kills.set(entry.target, { name: entry.target, from: at, to: at });
        if (entry.signal === 'SIGSTOP') standstills.push({ name: entry.target, from: at, to: Infinity });
        if (entry.signal === 'SIGCONT') end(standstills, entry.target, at);
        break;
      case 'ended': {
        const kill = kills.get(entry.target);
        if (kill !== undefined) kill.to = at;
        if (!entry.asked) violations.push(`${entry.target} ended by itself: ${entry.code} ${entry.signal}`);
        break;
      }
      case 'fault began':
        faults.push({ name: entry.fault, from: at, to: Infinity });
        break;
      case 'fault ended':
        end(faults, entry.fault, at);
        break;
      case 'sending':
        break;
    }
  }
  return { accounts, kills, standstills, lostLeases, faults, violations };
}

function end(spans: readonly Span[], name: string, at: number): void {
  const open = spans.find((span) => span.name === name && span.to === Infinity);
  if (open !== undefined) open.to = at;
}
