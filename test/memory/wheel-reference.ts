/** What a timing wheel must do, done the slow way: a list kept in order of due time, then of insertion. */
export class SortedList<T> {
  #entries: { readonly handle: number; readonly dueAt: number; readonly value: T }[] = [];
  #handles = 0;

  get size(): number {
    return this.#entries.length;
  }

  insert(dueAt: number, value: T): number {
    const entry = { handle: ++this.#handles, dueAt, value };
    const after = this.#entries.findIndex((other) => other.dueAt > dueAt);
    this.#entries.splice(after === -1 ? this.#entries.length : after, 0, entry);
    return entry.handle;
  }

  remove(handle: number): T | undefined {
    const at = this.#entries.findIndex((entry) => entry.handle === handle);
    return at === -1 ? undefined : this.#entries.splice(at, 1)[0]?.value;
  }

  take(now: number): T | undefined {
    const first = this.#entries[0];
    return first === undefined || first.dueAt > now ? undefined : this.#entries.shift()?.value;
  }

  nextAt(): number {
    return this.#entries[0]?.dueAt ?? Infinity;
  }

  dueCount(now: number): number {
    return this.#entries.filter((entry) => entry.dueAt <= now).length;
  }

  entries(): (readonly [value: T, dueAt: number])[] {
    return this.#entries.map((entry) => [entry.value, entry.dueAt] as const);
  }
}
