/** No entry. */
export const NIL = -1;

/** Fields of one entry in the links array: 16 bytes side by side, because one operation touches them all. */
const STRIDE = 4;
const NEXT = 0;
const PREVIOUS = 1;
const PLACE = 2;
const GENERATION = 3;

const INDEX_SPAN = 2 ** 24;
const GENERATION_MASK = 2 ** 28 - 1;
const FREED = -1;
const FIRST_CAPACITY = 16;
/** An empty slab larger than this gives its memory back. */
const KEPT_CAPACITY = 1024;

/**
 * The entries of a timing wheel, in typed arrays that the garbage collector need not walk: links, due time
 * and value by index. Grows by doubling, up to 2^24 entries; an emptied slab shrinks to nothing.
 *
 * A handle is an index and the generation it was given out under, so a handle that outlived its entry is
 * recognised, also after the index is in use again.
 */
export class TimerSlab<T> {
  /** Most entries a slab can hold, the same as V8's limit for a `Map`. */
  static readonly LIMIT = INDEX_SPAN;

  #links = new Int32Array(0);
  #due = new Float64Array(0);
  #values: (T | undefined)[] = [];
  #capacity = 0;
  /** Indices from here on were never used. */
  #fresh = 0;
  /** First of the freed indices, chained by NEXT. */
  #free = NIL;
  #generation = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Takes an index for a new entry. */
  allocate(dueAt: number, value: T): number {
    let index = this.#free;
    if (index === NIL) {
      if (this.#fresh === this.#capacity) this.#grow();
      index = this.#fresh++;
    } else {
      this.#free = this.next(index);
    }
    this.#generation = (this.#generation + 1) & GENERATION_MASK;
    this.#links[index * STRIDE + GENERATION] = this.#generation;
    this.#due[index] = dueAt;
    this.#values[index] = value;
    this.#size++;
    return index;
  }

  /** Gives an index back; its handle is stale from now on. */
  release(index: number): T {
    const value = this.value(index);
    this.#values[index] = undefined;
    this.#links[index * STRIDE + GENERATION] = FREED;
    this.#size--;
    if (this.#size === 0) {
      this.#clear();
    } else {
      this.setNext(index, this.#free);
      this.#free = index;
    }
    return value;
  }

  handle(index: number): number {
    return this.order(index) * INDEX_SPAN + index;
  }

  /** The index of a handle, or `NIL` where the handle is stale. */
  find(handle: number): number {
    const index = handle % INDEX_SPAN;
    if (index >= this.#fresh || index < 0) return NIL;
    return this.handle(index) === handle ? index : NIL;
  }

  value(index: number): T {
    return this.#values[index] as T;
  }

  due(index: number): number {
    return this.#due[index] as number;
  }

  /** Grows with every entry: of two entries the one with the lower order came first. */
  order(index: number): number {
    return this.#links[index * STRIDE + GENERATION] as number;
  }

  next(index: number): number {
    return this.#links[index * STRIDE + NEXT] as number;
  }

  previous(index: number): number {
    return this.#links[index * STRIDE + PREVIOUS] as number;
  }

  /** Where in the wheel the entry is filed. */
  place(index: number): number {
    return this.#links[index * STRIDE + PLACE] as number;
  }

  setNext(index: number, next: number): void {
    this.#links[index * STRIDE + NEXT] = next;
  }

  setPrevious(index: number, previous: number): void {
    this.#links[index * STRIDE + PREVIOUS] = previous;
  }

  setPlace(index: number, place: number): void {
    this.#links[index * STRIDE + PLACE] = place;
  }

  #grow(): void {
    const capacity = Math.max(FIRST_CAPACITY, this.#capacity * 2);
    if (capacity > INDEX_SPAN) throw new RangeError(`a timing wheel holds at most ${INDEX_SPAN} entries`);
    const links = new Int32Array(capacity * STRIDE);
    links.set(this.#links);
    const due = new Float64Array(capacity);
    due.set(this.#due);
    this.#links = links;
    this.#due = due;
    this.#capacity = capacity;
  }

  #clear(): void {
    this.#free = NIL;
    this.#fresh = 0;
    if (this.#capacity <= KEPT_CAPACITY) return;
    this.#links = new Int32Array(0);
    this.#due = new Float64Array(0);
    this.#values = [];
    this.#capacity = 0;
  }
}
