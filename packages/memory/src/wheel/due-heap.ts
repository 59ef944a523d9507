import { NIL, type TimerSlab } from './timer-slab.js';

const CHILDREN = 4;

/**
 * An indexed 4-ary heap over slab entries, earliest due first, those of one due time in the order in which
 * they came. An entry's `next` field holds its position here, so that it can be removed without a search.
 */
export class DueHeap {
  readonly #slab: TimerSlab<unknown>;
  #entries: number[] = [];

  constructor(slab: TimerSlab<unknown>) {
    this.#slab = slab;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The earliest entry, or `NIL`. */
  first(): number {
    return this.#entries[0] ?? NIL;
  }

  push(index: number): void {
    this.#entries.push(index);
    this.#up(this.#entries.length - 1, index);
  }

  remove(index: number): void {
    const position = this.#slab.next(index);
    const last = this.#entries.pop();
    if (last === undefined || last === index) return;
    if (position > 0 && this.#before(last, this.#at((position - 1) >> 2))) this.#up(position, last);
    else this.#down(position, last);
  }

  /** The entries, earliest first; the heap stays as it is. */
  sorted(): number[] {
    return [...this.#entries].sort((a, b) => (this.#before(a, b) ? -1 : 1));
  }

  #up(position: number, index: number): void {
    while (position > 0) {
      const parent = (position - 1) >> 2;
      const above = this.#at(parent);
      if (!this.#before(index, above)) break;
      this.#set(position, above);
      position = parent;
    }
    this.#set(position, index);
  }

  #down(position: number, index: number): void {
    const size = this.#entries.length;
    for (;;) {
      const firstChild = position * CHILDREN + 1;
      if (firstChild >= size) break;
      const end = Math.min(firstChild + CHILDREN, size);
      let best = firstChild;
      for (let child = firstChild + 1; child < end; child++) {
        if (this.#before(this.#at(child), this.#at(best))) best = child;
      }
      const below = this.#at(best);
      if (!this.#before(below, index)) break;
      this.#set(position, below);
      position = best;
    }
    this.#set(position, index);
  }

  #before(a: number, b: number): boolean {
    const dueA = this.#slab.due(a);
    const dueB = this.#slab.due(b);
    return dueA < dueB || (dueA === dueB && this.#slab.order(a) < this.#slab.order(b));
  }

  #at(position: number): number {
    return this.#entries[position] as number;
  }

  #set(position: number, index: number): void {
    this.#entries[position] = index;
    this.#slab.setNext(index, position);
  }
}
