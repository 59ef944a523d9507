/** First in, first out. Taking is O(1) on average: the array is trimmed when half of it is spent. */
export class LocalQueue<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    // What has left must not be kept alive by this, least of all for long enough to get old.
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= 1_024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes and returns, in order, what `test` holds for. */
  takeWhere(test: (item: T) => boolean): T[] {
    const taken: T[] = [];
    const kept: T[] = [];
    for (let i = this.#head; i < this.#items.length; i++) {
      const item = this.#items[i];
      if (item !== undefined) (test(item) ? taken : kept).push(item);
    }
    this.#items = kept;
    this.#head = 0;
    return taken;
  }
}
