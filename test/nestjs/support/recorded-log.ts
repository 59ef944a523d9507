import type { Logger } from '@delay-queue/nestjs';

/** A logger that remembers. */
export class RecordedLog implements Logger {
  readonly lines: { level: 'log' | 'warn' | 'error'; text: string }[] = [];

  log(text: string): void {
    this.lines.push({ level: 'log', text });
  }

  warn(text: string): void {
    this.lines.push({ level: 'warn', text });
  }

  error(text: string): void {
    this.lines.push({ level: 'error', text });
  }

  /** The lines that match. */
  matching(pattern: RegExp): string[] {
    return this.lines.map(({ text }) => text).filter((text) => pattern.test(text));
  }
}
