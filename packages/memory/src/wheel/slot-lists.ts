import { NIL, type TimerSlab } from './timer-slab.js';

/**
 * Circular doubly linked lists threaded through a slab, one for each slot: append, unlink and "first" in one
 * step. Appending at the tail keeps entries of a slot in the order in which they came.
 */
export class SlotLists {
  readonly #slab: TimerSlab<unknown>;
  readonly #heads: Int32Array;

  constructor(slab: TimerSlab<unknown>, slots: number) {
    this.#slab = slab;
    this.#heads = new Int32Array(slots).fill(NIL);
  }

  /** The first entry of a slot, or `NIL`. */
  first(slot: number): number {
    return this.#heads[slot] as number;
  }

  /** The last entry of a slot, or `NIL`. */
  last(slot: number): number {
    const head = this.first(slot);
    return head === NIL ? NIL : this.#slab.previous(head);
  }

  append(slot: number, index: number): void {
    const slab = this.#slab;
    const head = this.first(slot);
    if (head === NIL) {
      slab.setNext(index, index);
      slab.setPrevious(index, index);
      this.#heads[slot] = index;
      return;
    }
    const tail = slab.previous(head);
    slab.setNext(index, head);
    slab.setPrevious(index, tail);
    slab.setNext(tail, index);
    slab.setPrevious(head, index);
  }

  /** Takes an entry out; returns whether the slot is empty now. */
  unlink(slot: number, index: number): boolean {
    const slab = this.#slab;
    const next = slab.next(index);
    if (next === index) {
      this.#heads[slot] = NIL;
      return true;
    }
    const previous = slab.previous(index);
    slab.setNext(previous, next);
    slab.setPrevious(next, previous);
    if (this.first(slot) === index) this.#heads[slot] = next;
    return false;
  }

  /** Empties a slot and returns its former first entry; the caller walks the circle from there. */
  detach(slot: number): number {
    const head = this.first(slot);
    this.#heads[slot] = NIL;
    return head;
  }

  /** The entries of a slot, first to last. */
  *entries(slot: number): Generator<number> {
    const head = this.first(slot);
    if (head === NIL) return;
    let index = head;
    do {
      yield index;
      index = this.#slab.next(index);
    } while (index !== head);
  }
}
