import { DueHeap } from './due-heap.js';
import { SlotLists } from './slot-lists.js';
import { NIL, TimerSlab } from './timer-slab.js';
import { WheelLevels } from './wheel-levels.js';

/** Places beyond those of the three levels. */
const READY = 3 * 1024;
const PAST = READY + 1;
const FAR = READY + 2;

/** So many entries of a slot are walked for the exact earliest due time: some 40 microseconds. */
const WALKED = 4096;

/**
 * A hierarchical timing wheel: values by due time, exact to the millisecond, for any due time that is a safe
 * integer. Insert and remove take one step, whatever the number of entries; time moves only in `advance`, in
 * leaps from one occupied slot to the next, so an idle wheel costs nothing.
 *
 * - Later than now, up to 12.4 days: the three levels, from where `advance` moves entries down.
 * - Beyond: the far list, a heap from which entries are filed as soon as the levels cover them.
 * - Due: the ready list, sorted because entries arrive in order of due time; one that is due before the
 *   last of them (given back after its time) goes to the past list, a heap.
 *
 * `take` yields entries strictly by due time, those of one due time in the order in which they were inserted,
 * except that one inserted into the past list may come after a ready one. Not for use while it iterates.
 *
 * Ideas: G. Varghese and A. Lauck, "Hashed and hierarchical timing wheels", 1987.
 */
export class TimingWheel<T> {
  readonly #slab = new TimerSlab<T>();
  readonly #levels = new WheelLevels(this.#slab);
  readonly #ready = new SlotLists(this.#slab, 1);
  readonly #past = new DueHeap(this.#slab);
  readonly #far = new DueHeap(this.#slab);
  #readyCount = 0;
  #now: number;
  /** The earliest due time; not `#exact`: it was removed, and nothing is due before it. */
  #earliestAt = Infinity;
  #exact = true;

  /** Most entries a wheel can hold; an insert beyond throws a `RangeError`. */
  static readonly LIMIT: number = TimerSlab.LIMIT;

  /** @param now the time at which it starts, epoch ms */
  constructor(now: number) {
    this.#now = now;
  }

  /** How many entries it holds. */
  get size(): number {
    return this.#slab.size;
  }

  /** Adds a value; returns the handle that removes it. `dueAt` must be a safe integer. */
  insert(dueAt: number, value: T): number {
    if (!Number.isSafeInteger(dueAt)) {
      throw new RangeError(`a due time must be a safe integer of milliseconds, got ${dueAt}`);
    }
    const index = this.#slab.allocate(dueAt, value);
    this.#file(index, dueAt);
    if (dueAt < this.#earliestAt) {
      this.#earliestAt = dueAt;
      this.#exact = true;
    }
    return this.#slab.handle(index);
  }

  /** Removes an entry; returns its value, or `undefined` where the handle's entry is gone already. */
  remove(handle: number): T | undefined {
    const index = this.#slab.find(handle);
    return index === NIL ? undefined : this.#extract(index);
  }

  /** Moves time forward; never back. Entries that fall due become ready. */
  advance(now: number): void {
    if (now <= this.#now) return;
    for (;;) {
      const slot = this.#levels.next(this.#now);
      if (slot === undefined) {
        const first = this.#far.first();
        if (first === NIL || this.#slab.due(first) > now) break;
        this.#moveTo(this.#slab.due(first));
        continue;
      }
      if (slot.startAt > now) break;
      this.#moveTo(slot.startAt);
      this.#refile(slot.place);
    }
    this.#moveTo(now);
  }

  /** The earliest value that is due at `now`, without taking it. Moves time. */
  peek(now: number): T | undefined {
    const index = this.#firstDue(now);
    return index === NIL ? undefined : this.#slab.value(index);
  }

  /** Takes the earliest value that is due at `now`. Moves time. */
  take(now: number): T | undefined {
    const index = this.#firstDue(now);
    return index === NIL ? undefined : this.#extract(index);
  }

  /**
   * The earliest due time; `Infinity` when empty. Exact, unless the earliest entry was removed and thousands
   * share its slot: then a time in that slot that is not later, so that no call walks them all.
   */
  nextAt(): number {
    if (!this.#exact) this.#findEarliest();
    return this.#earliestAt;
  }

  /** The earliest due time, or one of the same slot that is not earlier; `Infinity` when empty. Always one step. */
  earliestAtMost(): number {
    return this.#exact ? this.#earliestAt : this.#slab.due(this.#firstOfAll());
  }

  /** How many are due at `now`. Moves time. */
  dueCount(now: number): number {
    this.advance(now);
    if (now === this.#now) return this.#readyCount + this.#past.size;
    let count = 0;
    for (const [, dueAt] of this.entries()) {
      if (dueAt > now) break;
      count++;
    }
    return count;
  }

  /** All values with their due times, earliest first. Sorts one slot at a time. */
  *entries(): Generator<readonly [value: T, dueAt: number]> {
    const due = [...this.#ready.entries(0), ...this.#past.sorted()];
    yield* this.#inOrder(due);
    for (const slot of this.#levels.slots(this.#now))
      yield* this.#inOrder([...this.#levels.entries(slot.place)]);
    yield* this.#inOrder(this.#far.sorted());
  }

  *#inOrder(indices: number[]): Generator<readonly [value: T, dueAt: number]> {
    indices.sort((a, b) => this.#slab.due(a) - this.#slab.due(b));
    for (const index of indices) yield [this.#slab.value(index), this.#slab.due(index)];
  }

  #file(index: number, dueAt: number): void {
    if (dueAt <= this.#now) this.#makeReady(index, dueAt);
    else if (WheelLevels.covers(this.#now, dueAt)) this.#levels.file(index, dueAt, this.#now);
    else {
      this.#far.push(index);
      this.#slab.setPlace(index, FAR);
    }
  }

  #makeReady(index: number, dueAt: number): void {
    const last = this.#ready.last(0);
    if (last !== NIL && this.#slab.due(last) > dueAt) {
      this.#past.push(index);
      this.#slab.setPlace(index, PAST);
      return;
    }
    this.#ready.append(0, index);
    this.#readyCount++;
    this.#slab.setPlace(index, READY);
  }

  #extract(index: number): T {
    const place = this.#slab.place(index);
    if (place < READY) this.#levels.unlink(place, index);
    else if (place === FAR) this.#far.remove(index);
    else if (place === PAST) this.#past.remove(index);
    else {
      this.#ready.unlink(0, index);
      this.#readyCount--;
    }
    if (this.#slab.due(index) === this.#earliestAt) this.#exact = false;
    const value = this.#slab.release(index);
    if (this.#slab.size === 0) {
      this.#earliestAt = Infinity;
      this.#exact = true;
    }
    return value;
  }

  /** Sets now, which no occupied slot precedes, and files what the levels now cover. */
  #moveTo(now: number): void {
    this.#now = now;
    for (;;) {
      const first = this.#far.first();
      if (first === NIL || !WheelLevels.covers(now, this.#slab.due(first))) return;
      this.#far.remove(first);
      this.#file(first, this.#slab.due(first));
    }
  }

  /** Files the entries of a slot anew; now is the slot's start, so each goes at least one level down. */
  #refile(place: number): void {
    const first = this.#levels.detach(place);
    let index = first;
    do {
      const next = this.#slab.next(index);
      this.#file(index, this.#slab.due(index));
      index = next;
    } while (index !== first);
  }

  #firstDue(now: number): number {
    this.advance(now);
    const index = this.#firstReady();
    // After a step back of the caller's clock, ready entries may not be due yet.
    return index === NIL || this.#slab.due(index) > now ? NIL : index;
  }

  #firstReady(): number {
    const ready = this.#ready.first(0);
    const past = this.#past.first();
    if (past === NIL) return ready;
    return ready === NIL || this.#slab.due(past) < this.#slab.due(ready) ? past : ready;
  }

  /** The first entry of the earliest slot: the earliest itself, or one that shares its slot. */
  #firstOfAll(): number {
    const ready = this.#firstReady();
    if (ready !== NIL) return ready;
    const slot = this.#levels.next(this.#now);
    return slot === undefined ? this.#far.first() : this.#levels.first(slot.place);
  }

  #findEarliest(): void {
    const first = this.#firstOfAll();
    let earliest = this.#slab.due(first);
    this.#exact = true;
    // Only slots of the upper two levels hold different due times in no order.
    if (this.#slab.place(first) < READY) {
      let index = this.#slab.next(first);
      for (let walked = 1; index !== first; walked++) {
        if (walked === WALKED) {
          this.#exact = false;
          earliest = Math.max(this.#earliestAt, this.#levels.next(this.#now)?.startAt ?? 0);
          break;
        }
        earliest = Math.min(earliest, this.#slab.due(index));
        index = this.#slab.next(index);
      }
    }
    this.#earliestAt = earliest;
  }
}
