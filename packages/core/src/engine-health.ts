import { reasonText } from './reason-text.js';
import type { Logger } from './logger.js';

/**
 * Reports whether the store works, once per change over all queues of an instance: one error when the first part
 * begins to fail, one line when the last one has recovered.
 */
export class EngineHealth {
  /** The parts that fail, and whether somebody is still trying. */
  private readonly failing = new Map<string, 'trying' | 'idle'>();

  constructor(
    private readonly logger: Logger,
    private readonly name: string,
  ) {}

  /** `part`, such as `producing` or `consuming order:timeout/3`, failed and will be tried again. */
  failed(part: string, error: unknown): void {
    if (this.failing.size === 0) {
      const why = reasonText(error);
      this.say('error', `delay queue '${this.name}': the store fails (${part}): ${why}; trying on`);
    }
    this.failing.set(part, 'trying');
  }

  /** `part` works. Parts that failed and are not tried any more are taken to work as well. */
  ok(part: string): void {
    if (!this.failing.delete(part)) return;
    for (const [other, state] of this.failing) if (state === 'idle') this.failing.delete(other);
    if (this.failing.size === 0) {
      this.say('log', `delay queue '${this.name}': the store works again (${part})`);
    }
  }

  /**
   * A call of this kind worked, `sending` say, by whatever part. Parts of its kind that failed and are not tried
   * any more are taken to work as well: they may never be tried again, and the next outage is to be told.
   */
  worked(kind: string): void {
    if (this.failing.size === 0) return;
    const idle = [...this.failing].filter(([part, state]) => state === 'idle' && part.startsWith(`${kind} `));
    for (const [part] of idle) this.ok(part);
  }

  /** `part` failed, and nothing is left there to try: its recovery may never be seen. */
  idle(part: string): void {
    if (this.failing.has(part)) this.failing.set(part, 'idle');
  }

  /** A logger that throws must not stop what reports here. */
  private say(level: 'log' | 'error', line: string): void {
    try {
      this.logger[level](line);
    } catch {
      // there is nowhere left to tell it
    }
  }
}
