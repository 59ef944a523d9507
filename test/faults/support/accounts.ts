import { answerOf, callOf, type AnyCall } from './calls.js';
import type { Entry } from './journal.js';

/** One start of a handler, and how it ended. */
export interface Run {
  readonly by: string;
  readonly id: string;
  readonly version: number;
  readonly attempt: number;
  readonly sentAt: number;
  readonly dueAt: number;
  readonly startedAt: number;
  /** When its process decided to: before a standstill, where this is the first that it wrote down after one. */
  readonly decidedAt: number;
  finishedAt?: number;
  threwAt?: number;
  aborted?: string;
}

/** What the journals say of one id. */
export interface Account {
  readonly id: string;
  /** One after the other. */
  readonly calls: AnyCall[];
  /** In the order in which they were decided. */
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
  /** The same for those that were told to stop. */
  readonly stops: ReadonlyMap<string, Span>;
  /** When a process was made to stand still, by the name of the process. */
  readonly standstills: readonly Span[];
  /** Process → when it said that a lease was lost. */
  readonly lostLeases: ReadonlyMap<string, readonly number[]>;
  /** When a process said that its store failed, with one line for all its calls, until it worked again, by its name. */
  readonly outages: readonly Span[];
  readonly faults: readonly Span[];
  readonly violations: readonly string[];
}

/** Puts the journals in order; what cannot be true of any run is a violation. */
export function readLedger(entries: readonly Entry[]): Ledger {
  const accounts = new Map<string, Account>();
  const kills = new Map<string, Span>();
  const stops = new Map<string, Span>();
  const lostLeases = new Map<string, number[]>();
  const standstills: Span[] = [];
  const outages: Span[] = [];
  const faults: Span[] = [];
  /** Process → its last standstill, as long as it has written nothing since. */
  const thawed = new Map<string, Span>();
  const runs = new Map<string, Run>();
  const violations: string[] = [];
  // A message may be due, and handled elsewhere, in the millisecond in which it is sent.
  for (const entry of entries) {
    if (entry.event === 'sending' && !accounts.has(entry.id)) {
      accounts.set(entry.id, { id: entry.id, calls: [], runs: [] });
    }
  }
  const account = (id: string): Account => {
    const found = accounts.get(id);
    if (found === undefined) violations.push(`${id} was never sent`);
    return found ?? { id, calls: [], runs: [] };
  };
  for (const entry of entries) {
    const { at, by } = entry;
    const decidedAt = thawed.get(by)?.from ?? at;
    thawed.delete(by);
    const call = callOf(entry);
    if (call !== undefined && 'id' in entry) account(entry.id).calls.push(call);
    const answered = answerOf(entry);
    if (answered !== undefined) {
      const { id, verb, answer, done } = answered;
      const asked = account(id).calls.at(-1);
      if (asked?.verb !== verb || asked.answer !== undefined)
        violations.push(`${id}: an answer to no ${verb}`);
      else Object.assign(asked, { answer, answeredAt: at, done });
    }
    switch (entry.event) {
      case 'started': {
        const { id, version = 1, attempt, sentAt, dueAt } = entry;
        const run: Run = { by, id, version, attempt, sentAt, dueAt, startedAt: at, decidedAt };
        runs.set(`${by} ${id} ${sentAt} ${attempt}`, run);
        account(id).runs.push(run);
        break;
      }
      case 'finished':
      case 'threw':
      case 'aborted': {
        const run = runs.get(`${by} ${entry.id} ${entry.sentAt} ${entry.attempt}`);
        if (run === undefined) violations.push(`${entry.id} ended in ${by} without a start`);
        else if (entry.event === 'aborted') run.aborted = entry.why;
        else if (entry.event === 'threw') run.threwAt = at;
        else run.finishedAt = at;
        break;
      }
      case 'log':
        if (entry.message.startsWith('A lease was lost'))
          lostLeases.set(by, [...(lostLeases.get(by) ?? []), at]);
        if (entry.message.includes('the store fails (')) outages.push({ name: by, from: at, to: Infinity });
        if (entry.message.includes('the store works again')) end(outages, by, at);
        if (entry.message.startsWith('Consuming met an unexpected error')) {
          violations.push(`${by}: ${entry.message} ${JSON.stringify(entry.details)}`);
        }
        break;
      case 'signalled':
        if (entry.signal === 'SIGKILL') kills.set(entry.target, { name: entry.target, from: at, to: at });
        if (entry.signal === 'SIGTERM') stops.set(entry.target, { name: entry.target, from: at, to: at });
        if (entry.signal === 'SIGSTOP') standstills.push({ name: entry.target, from: at, to: Infinity });
        if (entry.signal === 'SIGCONT') {
          const over = end(standstills, entry.target, at);
          if (over !== undefined) thawed.set(entry.target, over);
        }
        break;
      case 'ended': {
        for (const span of [kills.get(entry.target), stops.get(entry.target)])
          if (span !== undefined) span.to = at;
        if (!entry.asked) violations.push(`${entry.target} ended by itself: ${entry.code} ${entry.signal}`);
        break;
      }
      case 'fault began':
        faults.push({ name: entry.fault, from: at, to: Infinity });
        break;
      case 'fault ended':
        end(faults, entry.fault, at);
        break;
      default: // calls and their answers
    }
  }
  for (const { runs: all } of accounts.values()) all.sort((a, b) => a.decidedAt - b.decidedAt);
  return { accounts, kills, stops, standstills, lostLeases, outages, faults, violations };
}

function end(spans: readonly Span[], name: string, at: number): Span | undefined {
  const open = spans.find((span) => span.name === name && span.to === Infinity);
  if (open !== undefined) open.to = at;
  return open;
}
