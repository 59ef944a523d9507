/** What stands in a `LinkedList`: it carries its own links, and is in one list at a time. */
export abstract class ListItem<Self> {
  list: object | undefined = undefined;
  previous: Self | undefined = undefined;
  next: Self | undefined = undefined;
}

/**
 * Items in the order in which they were added; adding and removing are O(1) and allocate nothing.
 *
 * For what comes and goes thousands of times a second, where a `Set` or a `Map` would cost several times as much:
 * each time one of those outgrows its table, V8 links the old table to the new one (its ordered-hash-table.cc).
 * Once a table has got old, all that come after it, and everything they held, survive every minor collection
 * although they are garbage.
 */
export class LinkedList<T extends ListItem<T>> {
  size = 0;
  first: T | undefined;
  #last: T | undefined;

  /** Adds an item at the end. */
  add(item: T): void {
    item.list = this;
    item.previous = this.#last;
    if (this.#last === undefined) this.first = item;
    else this.#last.next = item;
    this.#last = item;
    this.size++;
  }

  /** Whether the item is in this list. */
  has(item: T): boolean {
    return item.list === this;
  }

  /** Takes an item out, if it is in. Nothing links it with the others any more. */
  delete(item: T): void {
    if (item.list !== this) return;
    const { previous, next } = item;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    item.list = item.previous = item.next = undefined;
    this.size--;
  }

  /** All items, for whoever may take some out on the way. */
  toArray(): T[] {
    const items: T[] = [];
    for (let item = this.first; item !== undefined; item = item.next) items.push(item);
    return items;
  }
}
