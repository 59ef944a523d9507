import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Journal } from './journal.js';

/** What a process runs: the name of a file in `programs`. */
export type Program = 'consumer' | 'producer' | 'troubled' | 'burst' | 'swell' | 'tally' | 'pinger';

/** One process of a fleet. */
export interface Member {
  readonly name: string;
  readonly program: Program;
  readonly pid: number;
  /** Resolves when it has booted, or has ended before. */
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  /** It has booted. */
  booted: boolean;
}

/** The processes of one test: starts and ends them, and writes down every signal and every end. */
export class Fleet {
  readonly #living = new Map<Member, ChildProcess>();
  readonly #asked = new Set<string>();
  #started = 0;

  /** @param programs the folder of the programs; @param env what every process is told */
  constructor(
    private readonly programs: string,
    private readonly journal: Journal,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Those that have not ended. */
  living(program?: Member['program']): readonly Member[] {
    return [...this.#living.keys()].filter((member) => program === undefined || member.program === program);
  }

  /** Starts one more, with this besides what every process is told. */
  start(program: Member['program'], env: Readonly<Record<string, string>> = {}): Member {
    const name = `${program}${++this.#started}`;
    const child = spawn(process.execPath, [`${this.programs}/${program}.mjs`], {
      env: { PATH: process.env['PATH'] ?? '', ...this.env, ...env, NAME: name },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ended = once(child, 'close').then(([code, signal]: (number | string | null)[]) => {
      const asked = this.#asked.has(name);
      this.journal.write({
        event: 'ended',
        target: name,
        asked,
        code: Number(code ?? 0),
        signal: signal === null ? null : String(signal),
      });
      if (said !== '') this.journal.write({ event: 'log', level: 'stderr', message: said, details: name });
      this.#living.delete(member);
    });
    const ready = Promise.race([once(child.stdout, 'data').then(() => undefined), ended]);
    const member: Member = { name, program, pid: child.pid ?? 0, ready, ended, booted: false };
    child.stdout.once('data', () => (member.booted = true));
    this.#living.set(member, child);
    return member;
  }

  /** Sends a signal that ends it, and waits for the end. */
  async end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.signal(member, signal);
    await member.ended;
  }

  /** Sends a signal. */
  signal(member: Member, signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL' || signal === 'SIGTERM') this.#asked.add(member.name);
    this.journal.write({ event: 'signalled', target: member.name, pid: member.pid, signal });
    this.#living.get(member)?.kill(signal);
  }

  /** Ends all, or all of a program. */
  async endAll(signal: 'SIGKILL' | 'SIGTERM', program?: Member['program']): Promise<void> {
    await Promise.all(this.living(program).map((member) => this.end(member, signal)));
  }
}
