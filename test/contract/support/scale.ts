/**
 * How much of the long tests is run: `CONTRACT_SCALE=0.02` for a fast pass (the mutation command does that),
 * more than 1 to soak. @default 1
 */
export const SCALE = Number(process.env['CONTRACT_SCALE'] ?? '1');

/** `count` under the scale, at least `least`. */
export const scaled = (count: number, least = 20): number => Math.max(least, Math.round(count * SCALE));
