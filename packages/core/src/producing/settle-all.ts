/** Starts all `items`; resolves with what each was settled with, in order. */
export function settleAll<Item, Result>(
  items: readonly Item[],
  start: (item: Item, settle: (result: Result) => void) => void,
): Promise<Result[]> {
  return new Promise((resolve) => {
    const results: Result[] = Array.from({ length: items.length });
    let open = items.length;
    if (open === 0) resolve(results);
    items.forEach((item, index) =>
      start(item, (result) => {
        results[index] = result;
        if (--open === 0) resolve(results);
      }),
    );
  });
}
