import type { LoggerService } from '@nestjs/common';

/** Prints the shop's lines with the seconds since its start, and what anyone has to warn of. Nest's own lines stay out. */
export class StoryLogger implements LoggerService {
  private readonly startedAt = performance.now();

  constructor(private readonly print: (line: string) => void) {}

  log(message: unknown, context?: unknown): void {
    if (context === 'Order' || context === 'Notice') this.line(`${context.padEnd(6)}  ${String(message)}`);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.line(`warning ${String(message)}${reason(details)}`);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.line(`error   ${String(message)}${reason(details)}`);
  }

  private line(text: string): void {
    const seconds = (performance.now() - this.startedAt) / 1_000;
    this.print(`${seconds.toFixed(3).padStart(7)} s  ${text}`);
  }
}

/** What the delay queue says beside its sentence: which message, and what was thrown. */
function reason(details: readonly unknown[]): string {
  const about = details.find((detail) => typeof detail === 'object' && detail !== null);
  if (about === undefined) return '';
  const { id, error } = about as { id?: unknown; error?: unknown };
  return [id, error].map((part) => (typeof part === 'string' ? `: ${part}` : '')).join('');
}
