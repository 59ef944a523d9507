import { SLOTS, SLOT_BITS, SlotBitmap } from './slot-bitmap.js';
import { SlotLists } from './slot-lists.js';
import { NIL, type TimerSlab } from './timer-slab.js';

const LEVELS = 3;
const SLOT_MASK = SLOTS - 1;
/** From now on so far reach the slots of the top level, whose own slot for now stays empty. */
const REACH = (SLOTS - 1) * 2 ** ((LEVELS - 1) * SLOT_BITS);

interface Level {
  readonly lists: SlotLists;
  readonly occupied: SlotBitmap;
}

/** An occupied slot and the time at which it begins. */
export interface NextSlot {
  readonly place: number;
  readonly startAt: number;
}

/**
 * The three levels of a wheel: 1,024 slots of 1 ms, of 1.024 s and of 17.5 minutes. An entry is filed in the
 * lowest level whose slot tells it apart from now; a place is `level * 1024 + slot`.
 *
 * Levels 0 and 1 cover what is left of the current second and of the current 17.5 minutes, level 2 is a ring
 * over the next 1,023 spans of 17.5 minutes. Slots are bits of the time itself, its lowest 32 bits are enough
 * to tell them, so there is no epoch that could overflow. Idea of levels by highest differing bit: Linux' and
 * tokio's timer wheels.
 *
 * A level's memory (4 KiB) is taken when it is first used.
 */
export class WheelLevels {
  readonly #slab: TimerSlab<unknown>;
  readonly #levels: (Level | undefined)[] = [undefined, undefined, undefined];

  constructor(slab: TimerSlab<unknown>) {
    this.#slab = slab;
  }

  /** Whether `dueAt`, later than `now`, lies within the three levels. */
  static covers(now: number, dueAt: number): boolean {
    return dueAt - now <= REACH;
  }

  /** Files an entry that is due later than `now` and covered. */
  file(index: number, dueAt: number, now: number): void {
    const differing = dueAt ^ now;
    const number = differing >>> SLOT_BITS === 0 ? 0 : differing >>> (2 * SLOT_BITS) === 0 ? 1 : 2;
    const slot = (dueAt >>> (number * SLOT_BITS)) & SLOT_MASK;
    const level = this.#level(number);
    level.lists.append(slot, index);
    level.occupied.set(slot);
    this.#slab.setPlace(index, number * SLOTS + slot);
  }

  unlink(place: number, index: number): void {
    const slot = place & SLOT_MASK;
    const level = this.#level(place >>> SLOT_BITS);
    if (level.lists.unlink(slot, index)) level.occupied.clear(slot);
  }

  /** First entry of a place. */
  first(place: number): number {
    return this.#level(place >>> SLOT_BITS).lists.first(place & SLOT_MASK);
  }

  /** Empties a place; returns its former first entry. */
  detach(place: number): number {
    const slot = place & SLOT_MASK;
    const level = this.#level(place >>> SLOT_BITS);
    level.occupied.clear(slot);
    return level.lists.detach(slot);
  }

  /** The occupied slot that begins first. The lowest level with one always has it. */
  next(now: number): NextSlot | undefined {
    for (let number = 0; number < LEVELS; number++) {
      const found = this.#nextOf(number, now, 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** All occupied slots in order of time. */
  *slots(now: number): Generator<NextSlot> {
    for (let number = 0; number < LEVELS; number++) {
      let found = this.#nextOf(number, now, 1);
      while (found !== undefined) {
        yield found;
        found = this.#nextOf(number, now, span(found.startAt, number) - span(now, number) + 1);
      }
    }
  }

  /** The entries of a place in the order in which they came. */
  entries(place: number): Generator<number> {
    return this.#level(place >>> SLOT_BITS).lists.entries(place & SLOT_MASK);
  }

  /** The first occupied slot of a level that begins `ahead` or more slots after the one `now` is in. */
  #nextOf(number: number, now: number, ahead: number): NextSlot | undefined {
    const level = this.#levels[number];
    if (level === undefined || ahead >= SLOTS) return undefined;
    const current = (now >>> (number * SLOT_BITS)) & SLOT_MASK;
    const from = current + ahead;
    let slot = level.occupied.next(from);
    // Only the top level is a ring: in the others an entry of a later turn is filed one level up.
    if (number === LEVELS - 1) {
      if (slot === NIL) slot = level.occupied.next(Math.max(0, from - SLOTS));
      if (slot !== NIL && ((slot - current) & SLOT_MASK) < ahead) slot = NIL;
    }
    if (slot === NIL) return undefined;
    const startAt = (span(now, number) + ((slot - current) & SLOT_MASK)) * 2 ** (number * SLOT_BITS);
    return { place: number * SLOTS + slot, startAt };
  }

  #level(number: number): Level {
    return (this.#levels[number] ??= {
      lists: new SlotLists(this.#slab, SLOTS),
      occupied: new SlotBitmap(),
    });
  }
}

/** Which slot of a level, counted from the epoch, a time falls into. */
function span(time: number, level: number): number {
  return Math.floor(time / 2 ** (level * SLOT_BITS));
}
