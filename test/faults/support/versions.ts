import type { StoredId } from '../../contract/support/snapshot.js';
import type { Account, Ledger, Run } from './accounts.js';
import type { AnyCall, Call, Reschedule, Send } from './calls.js';
import { whyTwice } from './explain.js';

/** One message: an id may be sent again, and then names another one. */
export interface Version {
  readonly id: string;
  readonly send: Send;
  /** Whether it was stored at all. */
  readonly stored: Call['done'];
  readonly runs: readonly Run[];
  /** The call that took it away; while it runs, a follower is enough. */
  readonly taken?: AnyCall;
  /** Calls that may have done so: nobody knows. */
  readonly maybeTaken: readonly AnyCall[];
  /** The first call whose answer says that it waits no more. */
  readonly gone?: AnyCall;
  /** Those that moved it, or may have. */
  readonly moves: readonly Reschedule[];
}

/** The messages of an id, oldest first. */
export function versionsOf({ id, calls, runs }: Account, ledger: Ledger): Version[] {
  return calls.flatMap((send, i) => {
    if (send.verb !== 'send') return [];
    const own = runs.filter(({ version }) => version === send.version);
    const end = endOf(send, calls.slice(i + 1), ledger);
    return [{ id, send, stored: storedBy(send, ledger), runs: own, ...end }];
  });
}

/** A first try whose answer was lost is found by the second one, which calls it a duplicate. */
function storedBy(send: Send, ledger: Ledger): Call['done'] {
  if (send.answer !== 'duplicate') return send.done;
  return whyTwice(send, ledger) === undefined ? 'no' : 'maybe';
}

type End = Pick<Version, 'taken' | 'maybeTaken' | 'gone' | 'moves'>;

function endOf(send: Send, later: readonly AnyCall[], ledger: Ledger): End {
  // The first try was carried out, its answer was lost, and the second one is answered.
  const mayHaveTriedTwice = (call: Call) => whyTwice(call, ledger) !== undefined;
  const maybeTaken: AnyCall[] = [];
  const moves: Reschedule[] = [];
  let gone: AnyCall | undefined;
  for (const [i, call] of later.entries()) {
    if (call.verb === 'reschedule') {
      if (call.done !== 'no' || mayHaveTriedTwice(call)) moves.push(call);
    } else if (call.done === 'maybe') {
      maybeTaken.push(call);
    } else if (call.done === 'yes') {
      // Where the follower was dropped again, the running one lives on.
      if (call.answer === 'queued' && later.slice(i + 1).some(dropsFollower)) {
        return { maybeTaken: [...maybeTaken, call], moves };
      }
      gone ??= call;
      if (call.answer !== 'stored') return { taken: call, gone, maybeTaken, moves };
      // What is stored anew found none in its place, unless a first try took it.
      return { gone, maybeTaken: mayHaveTriedTwice(call) ? [...maybeTaken, call] : maybeTaken, moves };
    } else if (call.verb === 'send' && mayHaveTriedTwice(call)) {
      maybeTaken.push(call);
    } else if (send.answer === 'queued' && dropsFollower(call)) {
      maybeTaken.push(call);
    }
    if (call.verb !== 'send' && GONE.includes(call.answer)) gone ??= call;
  }
  return { ...(gone === undefined ? {} : { gone }), maybeTaken, moves };
}

const GONE: readonly (string | undefined)[] = ['unknown', 'handled'];

const dropsFollower = ({ verb, answer, done }: Call) =>
  verb === 'cancel' && (answer === 'running' || done === 'maybe');

/** Where a message can be. */
export type Place = 'handled' | 'cancelled' | 'replaced' | 'dead' | 'pending';

/** Where it is; `undefined`: nowhere. */
export function placeOf(version: Version, stored: StoredId | undefined): Place | undefined {
  const { runs, taken, maybeTaken } = version;
  if (isStored(version, stored)) return stored?.state === 'dead' ? 'dead' : 'pending';
  if (runs.some(({ finishedAt }) => finishedAt !== undefined)) return 'handled';
  const by = taken ?? maybeTaken[0];
  return by && (by.verb === 'send' ? 'replaced' : 'cancelled');
}

/** Whether what is stored under its id is this message, or has it as its follower. */
export function isStored({ send }: Version, stored: StoredId | undefined): boolean {
  if (stored === undefined) return false;
  const contents = [stored.state === 'handled' ? undefined : stored.content, stored.next?.content];
  return contents.some((text) => text !== undefined && versionIn(text) === send.version);
}

function versionIn(content: string): number {
  return (JSON.parse(content) as { version?: number }).version ?? 1;
}
