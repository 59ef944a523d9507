/**
 * A copy of a user's array in which holes are `undefined`, because array methods pass over holes and whoever counts
 * on an answer for each item would wait for ever; `undefined` for what is no array or cannot be read.
 */
export function readList(value: unknown): unknown[] | undefined {
  try {
    return Array.isArray(value) ? Array.from<unknown>(value) : undefined;
  } catch {
    return undefined;
  }
}
