/** One figure that must be reached, and whether it is. */
export interface Target {
  readonly what: string;
  readonly figure: string;
  readonly wanted: string;
  readonly met: boolean;
}

export const atLeast = (what: string, value: number, limit: number, unit: string): Target => ({
  what,
  figure: `${value.toFixed(1)}${unit}`,
  wanted: `>= ${limit}${unit}`,
  met: value >= limit,
});

export const atMost = (what: string, value: number, limit: number, unit: string): Target => ({
  what,
  figure: `${value.toFixed(1)}${unit}`,
  wanted: `<= ${limit}${unit}`,
  met: value <= limit,
});
