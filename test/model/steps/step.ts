import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { REGIONS, WORKERS, type World } from '../world.js';

/** One random step on the store and the model. */
export type Step = fc.AsyncCommand<World, World>;

/** A step made of what it needs to know and what it does; the former is what a failure prints. */
export function step<P extends object>(
  name: string,
  parameters: fc.Arbitrary<P>,
  run: (world: World, parameters: P) => Promise<void>,
): fc.Arbitrary<Step> {
  return parameters.map((chosen) => ({
    check: () => true,
    run: (world: World) => run(world, chosen),
    toString: () => `${name}(${fc.stringify(chosen)})`,
  }));
}

/** Few ids; some with characters that mean something elsewhere. */
export const IDS = ['a', 'b:{c}', '💥', '__proto__', '-1'] as const;

/** Mostly the first ones, so that steps meet. */
export const anId = fc.constantFrom(...IDS, IDS[0], IDS[0], IDS[0], IDS[1]);
export const someIds = fc.uniqueArray(anId, { minLength: 1, maxLength: 3 });
/** Mostly the first one, so that steps meet. */
export const aRegion = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: REGIONS.length - 1 }) },
);
export const aWorker = fc.nat(WORKERS - 1);
/** For states that hinder much else: on now and then, off most of the time. */
export const isOn = fc.nat(3).map((n) => n === 0);
/** One answer in ten is lost. */
export const isLost = fc.nat(9).map((n) => n === 0);
/** How far the caller's epoch is from the region's. */
export const anEpochShift = fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1);
export const aDelay = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 120 }) },
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 40_000 }) },
);

/** Equality as a list of differences. */
export const equal = (expected: unknown, actual: unknown): readonly string[] =>
  isDeepStrictEqual(expected, actual)
    ? []
    : [`expected the answer ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`];
