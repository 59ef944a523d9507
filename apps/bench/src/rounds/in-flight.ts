/** Calls `act` `total` times, always `limit` of them under way, and resolves when all have. */
export async function inFlight(
  limit: number,
  total: number,
  act: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) await act(next++);
  };
  await Promise.all(Array.from({ length: Math.min(limit, total) }, lane));
}

const BULK = 1_000;

/** Calls `act` with the sizes of bulks of 1,000 that make `total`, one after the other. */
export async function inBulks(total: number, act: (size: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < total; done += BULK) await act(Math.min(BULK, total - done));
}
