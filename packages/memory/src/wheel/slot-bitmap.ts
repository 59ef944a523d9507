/** How many slots a level has, and how many bits number them. */
export const SLOTS = 1024;
export const SLOT_BITS = 10;

/**
 * Which of 1,024 slots are occupied: 32 words and one summary word over them, so that the next occupied slot
 * is two steps away however empty the rest is. `Int32Array`, because reads of a `Uint32Array` above 2^31
 * become doubles in V8.
 */
export class SlotBitmap {
  readonly #words = new Int32Array(SLOTS / 32);
  #summary = 0;

  set(slot: number): void {
    const word = slot >>> 5;
    this.#words[word] = this.#word(word) | (1 << (slot & 31));
    this.#summary |= 1 << word;
  }

  clear(slot: number): void {
    const word = slot >>> 5;
    const left = this.#word(word) & ~(1 << (slot & 31));
    this.#words[word] = left;
    if (left === 0) this.#summary &= ~(1 << word);
  }

  /** The lowest occupied slot at or above `from` (0 … 1024), or -1. */
  next(from: number): number {
    if (from >= SLOTS) return -1;
    const word = from >>> 5;
    const here = this.#word(word) & (-1 << (from & 31));
    if (here !== 0) return (word << 5) | lowestBit(here);
    if (word === 31) return -1;
    const later = this.#summary & (-1 << (word + 1));
    if (later === 0) return -1;
    const found = lowestBit(later);
    return (found << 5) | lowestBit(this.#word(found));
  }

  #word(index: number): number {
    return this.#words[index] as number;
  }
}

/** Position of the lowest set bit of a word that has one. */
function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}
