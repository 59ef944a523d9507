import { spawn } from 'node:child_process';
import { inject, onTestFinished } from 'vitest';
import type { Line, Said } from './deeds.js';

/** The programs that say lines. */
export type Program = 'closing' | 'cycles' | 'half-boot';

/** A process that says what it does, line by line. */
export interface Closing {
  /** Everything it said so far, in order. */
  readonly lines: readonly Line[];
  /** What it said of one kind. */
  said<E extends Said['event']>(event: E): readonly Of<E>[];
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ending>;
}

/** The lines of one kind. */
type Of<E extends Said['event']> = Line & Extract<Said, { event: E }>;

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to its error output. */
  readonly errors: string;
}

/** Starts `programs/<program>.ts` with these environment variables and flags of Node; killed when the test is over. */
export function startClosing(
  program: Program,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Closing {
  const child = spawn(process.execPath, [...flags, `${inject('programs')}/${program}.mjs`], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  let rest = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = `${rest}${chunk.toString()}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part) as Line);
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, errors }));
  });
  return {
    lines,
    said: (event) => lines.filter((line): line is Of<typeof event> => line.event === event),
    signal: (signal) => void child.kill(signal),
    ended,
  };
}
