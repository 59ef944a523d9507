import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { bundled } from './bundle.js';

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** `performance.now()` of this process when it was seen. */
  readonly at: number;
}

/** A program of `programs/` in a process of its own; killed when the test is over. */
export interface Program {
  readonly name: string;
  /** Everything it printed so far, line by line. */
  readonly lines: readonly string[];
  readonly ended: Promise<Ending>;
  /** The first line that matches, as soon as it is printed; rejects when the process ends without it. */
  line(pattern: RegExp): Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `programs/<name>.ts` with these environment variables. */
export async function startProgram(name: string, env: Readonly<Record<string, string>>): Promise<Program> {
  const child = spawn(process.execPath, [await bundled(name)], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));

  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const notice = () => waiting.forEach((look) => look());
  const read = (stream: NodeJS.ReadableStream) => {
    let rest = '';
    stream.on('data', (chunk: Buffer) => {
      const parts = `${rest}${chunk.toString()}`.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      notice();
    });
  };
  read(child.stdout);
  read(child.stderr);

  let ending: Ending | undefined;
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (code, signal) => {
      ending = { code, signal, at: performance.now() };
      resolve(ending);
      notice();
    });
  });

  return {
    name,
    lines,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find((line) => pattern.test(line));
          if (found === undefined && ending === undefined) return;
          waiting.delete(look);
          if (found !== undefined) resolve(found);
          else reject(new Error(`${name} ended without a line like ${pattern}:\n${lines.join('\n')}`));
        };
        waiting.add(look);
        look();
      }),
  };
}
