/** How often a message was delivered, and how that ended. */
export interface DeliveryCounts {
  readonly deliveries: number;
  readonly failures: number;
  readonly crashes: number;
}

const NONE: DeliveryCounts = { deliveries: 0, failures: 0, crashes: 0 };

/** Reads a value of the `retries` hash, `"<deliveries> <failures> <crashes>"`; all 0 when there is none. */
export function readCounts(text: string | null | undefined): DeliveryCounts {
  if (text === null || text === undefined) return NONE;
  const [deliveries = '0', failures = '0', crashes = '0'] = text.split(' ');
  return { deliveries: Number(deliveries), failures: Number(failures), crashes: Number(crashes) };
}
