import { expect, it } from 'vitest';
import type { StoredId } from '../contract/support/snapshot.js';
import { balance } from './support/books.js';
import type { Entry, Event } from './support/journal.js';

/** Events a millisecond apart, or `after` so many more, from 1000 on. */
function written(...events: (Event & { by?: string; after?: number })[]): Entry[] {
  let at = 999;
  return events.map(({ after = 0, ...event }) => {
    at += 1 + after;
    return Object.assign({ by: 'producer1' }, event, { at });
  });
}

const stored = (state: StoredId['state']): StoredId => ({
  state,
  at: 0,
  deliveries: 0,
  failures: 0,
  crashes: 0,
  content: '{}',
});

/** What is wrong, cut off before the details. */
function wrongs(entries: readonly Entry[], left: Readonly<Record<string, StoredId>> = {}): string[] {
  const store = { ids: new Map(Object.entries(left)), violations: [], regions: [] };
  return balance(entries, store).violations.map((violation) => violation.split(': {')[0] ?? '');
}

const id = 'a';
const sending: Event = { event: 'sending', id, delayMs: 0, does: 'return' };
const sent: Event = { event: 'sent', id, outcome: 'stored' };
const run = (by: string, attempt = 1, dueAt = 1000): Event & { by: string } => ({
  event: 'started',
  id,
  topic: 'work',
  attempt,
  sentAt: 1000,
  dueAt,
  by,
});
const finished = (by: string, attempt = 1): Event & { by: string } => ({
  event: 'finished',
  id,
  attempt,
  sentAt: 1000,
  by,
});
const expired = (by: string): Event & { by: string } => ({
  event: 'aborted',
  id,
  attempt: 1,
  sentAt: 1000,
  why: 'lease-expired',
  by,
});
const signalled = (signal: string): Event => ({ event: 'signalled', target: 'c1', pid: 1, signal });
const killed = signalled('SIGKILL');
/** Handled, but the fault keeps its verdict from Redis until the signal ends its process; then it runs again. */
const keptFromRedis = (signal: string) =>
  written(
    sending,
    sent,
    { event: 'fault began', fault: 'silence' },
    run('c1'),
    finished('c1'),
    { ...signalled(signal), after: 3000 },
    { event: 'ended', target: 'c1', asked: true, code: 0, signal: null },
    { event: 'fault ended', fault: 'silence' },
    run('c2', 2),
    finished('c2', 2),
  );
const answerLost = (by: string): Event & { by: string } => ({
  event: 'log',
  level: 'error',
  message: 'the store fails (sending work/0): the answer was lost',
  details: {},
  by,
});
const cancelling: Event = { event: 'cancelling', id };
const cancelAnswered = (outcome: string): Event => ({ event: 'cancel answered', id, outcome });
const cancelled: Event[] = [cancelling, cancelAnswered('cancelled')];
const refused: Event = { event: 'send failed', id, code: 'UNAVAILABLE', mayBeStored: false };
const unsure: Event = { event: 'send failed', id, code: 'TIMEOUT', mayBeStored: true };
/** A second message of the id, in place of the first. */
const again = (outcome: string): Event[] => [
  { event: 'sending', id, version: 2, delayMs: 0, does: 'return' },
  { event: 'sent', id, version: 2, outcome },
];
const run2 = { ...run('c2'), version: 2, sentAt: 1001 };
const finished2 = { ...finished('c2'), version: 2, sentAt: 1001 };
const moved: Event[] = [
  { event: 'rescheduling', id, delayMs: 100 },
  { event: 'reschedule answered', id, outcome: 'rescheduled' },
];
const asFollower = {
  ...stored('running'),
  next: { dueAt: 0, sentAt: 0, content: '{"version":2}', headers: {} },
};

it.each<[string, Entry[], Record<string, StoredId>?]>([
  ['handled once', written(sending, sent, run('c1'), finished('c1'))],
  ['still there', written(sending, sent), { a: stored('waiting') }],
  ['handled again after a kill', written(sending, sent, run('c1'), killed, run('c2', 2), finished('c2', 2))],
  [
    'whose process stood still between its decision and the start',
    written(
      sending,
      sent,
      signalled('SIGSTOP'),
      run('c2', 2),
      finished('c2', 2),
      signalled('SIGCONT'),
      run('c1'),
      expired('c1'),
      finished('c1'),
    ),
  ],
  ['whose verdict a fault kept from Redis until its process was killed', keptFromRedis('SIGKILL')],
  ['whose verdict a fault kept from Redis until its process was told to stop', keptFromRedis('SIGTERM')],
  ['cancelled', written(sending, sent, ...cancelled)],
  ['of unknown outcome', written(sending, unsure)],
  ['that was replaced', written(sending, sent, ...again('replaced'), run2, finished2)],
  [
    'sent again after it was handled',
    written(sending, sent, run('c1'), finished('c1'), ...again('stored'), run2, finished2),
  ],
  [
    'that was running when its follower was queued',
    written(sending, sent, run('c1'), ...again('queued'), finished('c1'), run2, finished2),
  ],
  [
    'whose follower was dropped',
    written(
      sending,
      sent,
      run('c1'),
      ...again('queued'),
      cancelling,
      cancelAnswered('running'),
      finished('c1'),
    ),
  ],
  ['whose follower waits', written(sending, sent, run('c1'), ...again('queued')), { a: asFollower }],
  ['that was there already', written(sending, sent, ...again('duplicate'), run('c1'), finished('c1'))],
  [
    'whose cancel came too late',
    written(sending, sent, run('c1'), finished('c1'), cancelling, cancelAnswered('unknown')),
  ],
  ['moved', written(sending, sent, ...moved), { a: stored('waiting') }],
  [
    'whose first answer got lost, so that the second one called it a duplicate',
    written(
      sending,
      answerLost('producer1'),
      { event: 'sent', id, outcome: 'duplicate' },
      run('c1'),
      finished('c1'),
    ),
  ],
])('nothing is wrong with a message %s', (_what, entries, left) => {
  expect(wrongs(entries, left)).toEqual([]);
});

it.each<[string, Entry[], Record<string, StoredId>?]>([
  ['lost', written(sending, sent)],
  ['lost', written(sending, sent, run('c1'))],
  [
    'ran again, and nothing explains it',
    written(sending, sent, run('c1'), finished('c1'), run('c2', 2), finished('c2', 2)),
  ],
  [
    'its fencing number did not grow',
    written(sending, sent, run('c1'), killed, run('c2', 1), finished('c2', 1)),
  ],
  [
    'its fencing number did not grow',
    // Only the first start after a standstill may have been decided before it.
    written(
      sending,
      sent,
      signalled('SIGSTOP'),
      run('c2', 2),
      { event: 'threw', id, attempt: 2, sentAt: 1000, by: 'c2' },
      signalled('SIGCONT'),
      { event: 'log', level: 'warn', message: 'Hello', details: {}, by: 'c1' },
      run('c1'),
      expired('c1'),
      finished('c1'),
    ),
  ],
  ['handled, and yet stored', written(sending, sent, run('c1'), finished('c1')), { a: stored('waiting') }],
  ['started 50 ms early', written(sending, sent, run('c1', 1, 1052), finished('c1'))],
  ['ran after its cancel was answered', written(sending, sent, ...cancelled, run('c1'), finished('c1'))],
  ['cancelled, and yet stored', written(sending, sent, ...cancelled), { a: stored('waiting') }],
  ['not stored, and yet there', written(sending, refused), { a: stored('waiting') }],
  ['a dead letter: undefined', written(sending, sent), { a: stored('dead') }],
  ['its send never settled', written(sending)],
  ['its cancel never settled', written(sending, sent, cancelling), { a: stored('waiting') }],
  ['lost', written(sending, sent, ...again('replaced'))],
  ['lost', written(sending, sent, ...again('stored'), run2, finished2)],
  ['lost', written(sending, sent, cancelling, cancelAnswered('running'))],
  ['lost', written(sending, sent, ...moved)],
  [
    'ran after its cancel was answered',
    written(sending, sent, cancelling, cancelAnswered('unknown'), run('c1'), finished('c1')),
  ],
  [
    'ran after its send was answered',
    written(sending, sent, ...again('replaced'), run('c1'), finished('c1'), run2, finished2),
  ],
  [
    'two of its messages ran at once, and nothing explains it',
    written(sending, sent, run('c1'), ...again('queued'), run2, finished2, finished('c1')),
  ],
  [
    'not stored, and yet it ran',
    written(sending, sent, ...again('duplicate'), run('c1'), finished('c1'), run2, finished2),
  ],
  [
    'not stored, and yet it ran',
    // Another process lost an answer, not the one that sent it.
    written(
      sending,
      answerLost('producer2'),
      { event: 'sent', id, outcome: 'duplicate' },
      run('c1'),
      finished('c1'),
    ),
  ],
  ['started 96 ms before its delay was over', written(sending, sent, ...moved, run('c1'), finished('c1'))],
  [
    'replaced, and yet stored',
    written(sending, sent, ...again('replaced'), run2, finished2),
    { a: stored('waiting') },
  ],
  ['b is stored and unknown', written(sending, sent, ...cancelled), { b: stored('waiting') }],
  ['a was never sent', written(run('c1'))],
])('the books find a message that is %s', (what, entries, left) => {
  expect(wrongs(entries, left)).toEqual([what]);
});
