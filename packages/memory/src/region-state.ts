import type { MessageState, Moved } from '@delay-queue/core';
import { type Entry, NO_TIMER } from './entry.js';
import { Leases } from './leases.js';
import type { MessageBudget } from './message-budget.js';
import { SeenIds } from './seen-ids.js';
import { TimingWheel } from './wheel/timing-wheel.js';

/**
 * One isolation region: which message is in which state, and the steps between states. An id is in exactly
 * one of `live` (waiting, or running with at most one follower), `dead` and `seen`, or unknown. The rules of
 * the calls are in the files named after them; here is what keeps the maps, the wheel and the budget in step.
 */
export class RegionState {
  /** Waiting and running messages by id. */
  readonly live = new Map<string, Entry>();
  /** Dead letters by id, in order of death. */
  readonly dead = new Map<string, Entry>();
  readonly seen: SeenIds;
  readonly leases: Leases;
  /** The waiting messages by when they are due. */
  readonly waiting: TimingWheel<Entry>;
  paused = false;
  #epoch = 0;
  #filedAt = Infinity;
  readonly #budget: MessageBudget;

  constructor(now: number, budget: MessageBudget) {
    this.seen = new SeenIds(now);
    this.leases = new Leases(now);
    this.waiting = new TimingWheel(now);
    this.#budget = budget;
  }

  /** The newest epoch of the registry that was shown to this region. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Adopts a newer epoch; answers an older one with `moved`. */
  meet(epoch: number): Moved | undefined {
    if (epoch < this.#epoch) return 'moved';
    this.#epoch = epoch;
    return undefined;
  }

  /**
   * Runs a step; returns its result, and the earliest due time that it brought about where that is earlier
   * than what the region had (never missing one; where that was not known, perhaps a later one of its slot).
   */
  observe<R>(step: () => R): { readonly result: R; readonly movedTo: number | undefined } {
    const before = this.waiting.earliestAtMost();
    this.#filedAt = Infinity;
    const result = step();
    return { result, movedTo: this.#filedAt < before ? this.#filedAt : undefined };
  }

  /** Whether there is no room for one more message: in the store, or in the maps, which end at 2^24 ids. */
  get full(): boolean {
    const ids = this.live.size + this.dead.size + this.seen.size;
    return this.#budget.full || ids >= TimingWheel.LIMIT - 1;
  }

  get running(): number {
    return this.live.size - this.waiting.size;
  }

  stateOf(id: string, now: number): MessageState | undefined {
    const entry = this.live.get(id);
    if (entry !== undefined) return entry.lease === undefined ? 'waiting' : 'running';
    if (this.dead.has(id)) return 'dead';
    return this.seen.until(id, now) === undefined ? undefined : 'handled';
  }

  /** Stores a message whose id is not live and not dead. */
  store(entry: Entry): void {
    this.#budget.take();
    // Its window may be over without having been trimmed.
    this.seen.forget(entry.id);
    this.live.set(entry.id, entry);
    this.wait(entry, entry.dueAt);
  }

  /** Files a live message to be claimed from `dueAt` on. */
  wait(entry: Entry, dueAt: number): void {
    this.#filedAt = Math.min(this.#filedAt, dueAt);
    entry.timer = this.waiting.insert(dueAt, entry);
  }

  /** Takes a waiting message out of the wheel, to be filed anew or held. */
  unfile(entry: Entry): void {
    this.waiting.remove(entry.timer);
    entry.timer = NO_TIMER;
  }

  /** Removes a waiting message. */
  removeWaiting(entry: Entry): void {
    this.unfile(entry);
    this.live.delete(entry.id);
    this.#budget.giveBack();
  }

  /** Removes a message that ran and is over. */
  removeRan(entry: Entry): void {
    this.live.delete(entry.id);
    this.#budget.giveBack();
  }

  /** Sets the version that follows a running one, in place of an earlier one. */
  follow(entry: Entry, follower: Entry): void {
    if (entry.follower === undefined) this.#budget.take();
    entry.follower = follower;
  }

  dropFollower(entry: Entry): void {
    if (entry.follower !== undefined) this.#budget.giveBack();
    entry.follower = undefined;
  }

  /** Puts the follower in the place of a message that ran; returns it, or `undefined` without one. */
  promote(entry: Entry): Entry | undefined {
    const follower = entry.follower;
    if (follower === undefined) return undefined;
    entry.follower = undefined;
    this.removeRan(entry);
    this.live.set(follower.id, follower);
    this.wait(follower, follower.dueAt);
    return follower;
  }

  /** Makes a message that ran a dead letter. */
  bury(entry: Entry, reason: string, now: number): void {
    this.live.delete(entry.id);
    entry.reason = reason;
    entry.diedAt = now;
    this.dead.set(entry.id, entry);
  }

  /** Removes a dead letter; returns it. */
  exhume(id: string): Entry | undefined {
    const entry = this.dead.get(id);
    if (entry === undefined) return undefined;
    this.dead.delete(id);
    this.#budget.giveBack();
    return entry;
  }
}
