import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Does } from './work.js';

/** What a process writes down. Names of processes are never used twice. */
export type Event =
  | { event: 'sending'; id: string; delayMs: number; does: Does }
  | { event: 'sent'; id: string; outcome: string }
  | { event: 'send failed'; id: string; code: string; mayBeStored: boolean }
  | { event: 'cancelling'; id: string }
  | { event: 'cancel answered'; id: string; outcome: string }
  | { event: 'cancel failed'; id: string; code: string }
  | { event: 'started'; id: string; attempt: number; sentAt: number; dueAt: number }
  | { event: 'finished'; id: string; attempt: number; sentAt: number }
  | { event: 'threw'; id: string; attempt: number; sentAt: number }
  | { event: 'aborted'; id: string; attempt: number; sentAt: number; why: string }
  | { event: 'log'; level: string; message: string; details: unknown }
  | { event: 'signalled'; target: string; pid: number; signal: string }
  | { event: 'ended'; target: string; asked: boolean; code: number | null; signal: string | null }
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
    writeSync(this.#file, `${JSON.stringify({ ...event, by: this.name, at: Date.now() })}\n`);
  }
}

/** All events of a folder, by time. */
export function readJournals(folder: string): readonly Entry[] {
  const entries: Entry[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line !== '') entries.push(JSON.parse(line) as Entry);
    }
  }
  return entries.sort((a, b) => a.at - b.at);
}
