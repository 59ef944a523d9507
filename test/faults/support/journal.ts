import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { machineNow } from './machine-clock.js';
import type { Does } from './work.js';

/** Names a message: its id, and which of the messages with this id it is (1 if left out). */
interface Named {
  readonly id: string;
  readonly version?: number;
}

/** Names one delivery. */
interface Delivery extends Named {
  readonly attempt: number;
  readonly sentAt: number;
}

/**
 * What a process writes down. Names of processes are never used twice. All calls for one id are made by one process,
 * one after the other; after one that failed there are no more.
 */
export type Event =
  | ({ event: 'sending'; delayMs: number; does: Does } & Named)
  | ({ event: 'sent'; outcome: string } & Named)
  | ({ event: 'send failed'; code: string; mayBeStored: boolean } & Named)
  | { event: 'cancelling'; id: string }
  | { event: 'rescheduling'; id: string; delayMs: number }
  | { event: 'cancel answered' | 'reschedule answered'; id: string; outcome: string }
  | { event: 'cancel failed' | 'reschedule failed'; id: string; code: string; mayBeStored: boolean }
  | ({ event: 'started'; topic: string; dueAt: number } & Delivery)
  | ({ event: 'finished' } & Delivery)
  | ({ event: 'threw' } & Delivery)
  | ({ event: 'aborted'; why: string } & Delivery)
  | { event: 'log'; level: string; message: string; details: unknown }
  | { event: 'signalled'; target: string; pid: number; signal: string }
  | { event: 'ended'; target: string; asked: boolean; code: number | null; signal: string | null }
  | { event: 'pinged'; server: 'main' | 'control'; ms: number; waitedMs: { own: number; main: number } }
  | { event: 'tallied'; counts: string; mostHeap: number }
  | { event: 'fault began' | 'fault ended'; fault: string };

/** An event with the process that wrote it, and when, by the machine's clock: the Redis server's too. */
export type Entry = Event & { readonly by: string; readonly at: number };

/** Writes the events of one process, each on disk or in the hands of the kernel when `write` returns. */
export class Journal {
  readonly #file: number;

  constructor(
    folder: string,
    readonly name: string,
  ) {
    this.#file = openSync(join(folder, `${name}.jsonl`), 'a');
  }

  /** One line, by one call: a kill leaves all of it or nothing. */
  write(event: Event): void {
    writeSync(this.#file, `${JSON.stringify({ ...event, by: this.name, at: machineNow() })}\n`);
  }
}

/** All events of a folder, by time; a signal comes before what it sets going. */
export function readJournals(folder: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line !== '') entries.push(JSON.parse(line) as Entry);
    }
  }
  const rank = ({ event }: Entry) => (event === 'signalled' ? 0 : 1);
  return entries.sort((a, b) => a.at - b.at || rank(a) - rank(b));
}
