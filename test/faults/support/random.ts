/** Numbers that a seed decides. */
export interface Random {
  readonly seed: number;
  /** A whole number from `from` up to and with `to`. */
  between(from: number, to: number): number;
  /** True this often, of 1. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** The seed of this run: `FAULT_SEED`, or another one each time. */
export function runSeed(): number {
  return Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000_007);
}

/** Mulberry32. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    seed,
    between,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
