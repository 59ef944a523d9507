/** Shares of the messages by name, as they are measured. */
export const SHARES = {
  min: 0,
  p10: 0.1,
  p25: 0.25,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  'p99.9': 0.999,
  max: 1,
} as const;

/** Those that are reported. */
export const REPORTED = ['p50', 'p99', 'p99.9', 'max'] as const satisfies (keyof typeof SHARES)[];

/** The values that so many of all do not exceed, by name. */
export function percentiles(values: number[]): Record<string, number> {
  values.sort((a, b) => a - b);
  const at = (share: number): number =>
    values[Math.max(Math.ceil(share * values.length), 1) - 1] ?? Number.NaN;
  return Object.fromEntries(Object.entries(SHARES).map(([name, share]) => [name, at(share)]));
}
