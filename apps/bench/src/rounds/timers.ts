import TinyQueue from 'tinyqueue';
import { TimingWheel } from '@delay-queue/memory';
import type { Round } from './round.js';

/*
 * Timers alone, in this process: on top of those that stand, `messages` are added and cancelled again in another order;
 * then a million fire in order within a second of their clock. Nanoseconds of CPU time each.
 */

const STANDING = 1_000_000;
/** The last one counts: until then code is compiled, and room for the new ones made. */
const PASSES = 4;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a million timers of Node take to add, and more: none may fire before all are there. */
const LEAD_MS = 5_000;
const SPREAD_MS = 1_000;

/** A way to have timers. */
interface Timers<Handle> {
  add(delayMs: number): Handle;
  cancel(handle: Handle): void;
  /** Fires all that were added, to be due after the lead and within the spread. */
  fireAll(): Promise<void>;
}

/** The wheel of the memory engine. */
export const wheelTimers: Round = (input) =>
  measure(input.messages, anyDelay, () => {
    const wheel = new TimingWheel<undefined>(0);
    return {
      add: (delayMs) => wheel.insert(delayMs, undefined),
      cancel: (handle) => wheel.remove(handle),
      async fireAll() {
        for (let now = LEAD_MS; wheel.size > 0; now++) {
          wheel.advance(now);
          for (let due = wheel.dueCount(now); due > 0; due--) wheel.take(now);
        }
      },
    };
  });

/** tinyqueue, a binary heap. It cannot remove: what is cancelled is marked, and passed over when it comes to the top. */
export const heapTimers: Round = (input) =>
  measure(input.messages, anyDelay, () => {
    const heap = new TinyQueue<{ readonly dueAt: number; cancelled: boolean }>(
      [],
      (a, b) => a.dueAt - b.dueAt,
    );
    return {
      add(dueAt) {
        const entry = { dueAt, cancelled: false };
        heap.push(entry);
        return entry;
      },
      cancel: (entry) => (entry.cancelled = true),
      async fireAll() {
        for (let now = LEAD_MS; heap.length > 0; now++)
          while ((heap.peek()?.dueAt ?? Infinity) <= now) heap.pop();
      },
    };
  });

/** Node's own, every delay another one, as those of messages are that were sent at different times. */
export const nodeTimers: Round = (input) => measure(input.messages, anyDelay, () => new NodeTimers());

/** Node's own at their best: all have one delay, so that they stand in one list. */
export const nodeTimersOfOneDelay: Round = (input) =>
  measure(
    input.messages,
    () => HOUR_MS,
    () => new NodeTimers(),
  );

class NodeTimers implements Timers<NodeJS.Timeout> {
  #left = 0;
  #allFired: () => void = () => undefined;

  add(delayMs: number): NodeJS.Timeout {
    this.#left++;
    return setTimeout(this.#fired, delayMs);
  }

  cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.#left--;
  }

  fireAll(): Promise<void> {
    return new Promise((resolve) => (this.#allFired = resolve));
  }

  readonly #fired = (): void => {
    if (--this.#left === 0) this.#allFired();
  };
}

async function measure<Handle>(
  count: number,
  delay: () => number,
  make: () => Timers<Handle>,
): Promise<Record<string, number>> {
  const timers = make();
  const standing = Array.from({ length: STANDING }, () => timers.add(delay()));
  const delays = Array.from({ length: count }, delay);
  const handles = new Array<Handle>(count);
  let [add, cancel] = [0, 0];
  for (let pass = 0; pass < PASSES; pass++) {
    const began = cpuNs();
    for (let i = 0; i < count; i++) handles[i] = timers.add(delays[i] ?? 0);
    add = cpuNs() - began;
    shuffle(handles);
    const addedAt = cpuNs();
    for (const handle of handles) timers.cancel(handle);
    cancel = cpuNs() - addedAt;
  }
  for (const timer of standing) timers.cancel(timer);

  const firing = make();
  for (let i = 0; i < STANDING; i++) firing.add(LEAD_MS + (i % SPREAD_MS));
  const began = cpuNs();
  await firing.fireAll();
  return { add: add / count, cancel: cancel / count, fire: (cpuNs() - began) / STANDING };
}

const anyDelay = (): number => HOUR_MS + Math.floor(Math.random() * DAY_MS);

function shuffle(list: unknown[]): void {
  for (let i = list.length - 1; i > 0; i--) {
    const k = Math.floor(Math.random() * (i + 1));
    [list[i], list[k]] = [list[k], list[i]];
  }
}

function cpuNs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1_000;
}
