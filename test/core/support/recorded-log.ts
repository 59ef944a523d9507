import type { Logger } from '@delay-queue/core';

/** One line of a log. */
export interface Line {
  readonly level: 'log' | 'warn' | 'error';
  readonly text: string;
  readonly details: Record<string, unknown>;
}

/** A logger that remembers. */
export class RecordedLog implements Logger {
  readonly lines: Line[] = [];

  log = (text: string, details?: unknown) => this.#add('log', text, details);
  warn = (text: string, details?: unknown) => this.#add('warn', text, details);
  error = (text: string, details?: unknown) => this.#add('error', text, details);

  /** The lines of a level whose text matches. */
  of(level: Line['level'], pattern = /./): Line[] {
    return this.lines.filter((line) => line.level === level && pattern.test(line.text));
  }

  #add(level: Line['level'], text: string, details: unknown): void {
    this.lines.push({ level, text, details: (details ?? {}) as Record<string, unknown> });
  }
}
