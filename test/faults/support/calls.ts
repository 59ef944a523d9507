import type { Entry } from './journal.js';
import type { Does } from './work.js';

/** A call for one id: made, and answered or not. */
export interface Call {
  readonly verb: 'send' | 'cancel' | 'reschedule';
  readonly by: string;
  readonly at: number;
  /** The outcome, or the code of the error; absent: no answer was written down. */
  answer?: string;
  answeredAt?: number;
  /** Whether the server did what was asked. */
  done: 'yes' | 'no' | 'maybe';
}

/** A call that makes a new message of its id. */
export interface Send extends Call {
  readonly verb: 'send';
  readonly version: number;
  readonly delayMs: number;
  readonly does: Does;
}

/** A call that moves the due time, counted from now. */
export interface Reschedule extends Call {
  readonly verb: 'reschedule';
  readonly delayMs: number;
}

export type AnyCall = Send | Reschedule | (Call & { readonly verb: 'cancel' });

/** The call that an entry begins, if it begins one. */
export function callOf(entry: Entry): AnyCall | undefined {
  const { by, at } = entry;
  switch (entry.event) {
    case 'sending': {
      const { delayMs, does, version = 1 } = entry;
      return { verb: 'send', by, at, version, delayMs, does, done: 'maybe' };
    }
    case 'cancelling':
      return { verb: 'cancel', by, at, done: 'maybe' };
    case 'rescheduling':
      return { verb: 'reschedule', by, at, delayMs: entry.delayMs, done: 'maybe' };
    default:
      return undefined;
  }
}

const DID = { send: ['stored', 'replaced', 'queued'], cancel: ['cancelled'], reschedule: ['rescheduled'] };

/** The answer that an entry gives to a call, if it gives one. */
export function answerOf(
  entry: Entry,
): (Pick<Call, 'verb' | 'done'> & { id: string; answer: string }) | undefined {
  switch (entry.event) {
    case 'sent':
    case 'cancel answered':
    case 'reschedule answered': {
      const verb = VERBS[entry.event];
      const { id, outcome } = entry;
      return { verb, id, answer: outcome, done: DID[verb].includes(outcome) ? 'yes' : 'no' };
    }
    case 'send failed':
    case 'cancel failed':
    case 'reschedule failed': {
      const { id, code, mayBeStored } = entry;
      return { verb: VERBS[entry.event], id, answer: code, done: mayBeStored ? 'maybe' : 'no' };
    }
    default:
      return undefined;
  }
}

const VERBS = {
  sent: 'send',
  'send failed': 'send',
  'cancel answered': 'cancel',
  'cancel failed': 'cancel',
  'reschedule answered': 'reschedule',
  'reschedule failed': 'reschedule',
} as const;
