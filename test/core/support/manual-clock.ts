import type { Clock, Timer } from '@delay-queue/core';

/** A clock that only moves when told, and waits for nobody. */
export class ManualClock implements Clock {
  private readonly armed = new Set<{ at: number; fire: () => void }>();
  private passed = 0;

  constructor(private readonly startAt = 1_760_000_000_000) {}

  now = (): number => this.startAt + Math.floor(this.passed);
  monotonic = (): number => this.passed;

  setTimer(fire: () => void, ms: number): Timer {
    const entry = { at: this.passed + Math.max(0, ms), fire };
    this.armed.add(entry);
    return { cancel: () => void this.armed.delete(entry) };
  }

  /** Timers that are armed. */
  get timers(): number {
    return this.armed.size;
  }

  /** Moves on, firing what falls due, and lets what that sets off run. */
  async tick(ms: number): Promise<void> {
    const target = this.passed + ms;
    for (;;) {
      await turns();
      const next = [...this.armed].filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.armed.delete(next);
      this.passed = Math.max(this.passed, next.at);
      next.fire();
    }
    this.passed = target;
    await turns();
  }
}

/** Lets everything that needs no time come to rest. */
export async function turns(count = 12): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
