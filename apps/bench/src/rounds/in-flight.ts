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
