import { describe } from './describe.js';
import { didYouMean } from './did-you-mean.js';
import { toMilliseconds, type DelayInput } from './duration.js';
import { DelayQueueError } from './errors.js';
import { readable } from './readable.js';

/*
 * One reader per kind of option value. Each takes the value as the user gave it and the option's path (such as
 * `topics['order:timeout'].regions`), returns `undefined` for `undefined` (not given) and throws
 * INVALID_OPTION naming the path for everything that is not allowed.
 */

/** The error that every reader throws. */
export function invalidOption(path: string, expected: string, got: unknown): DelayQueueError {
  return new DelayQueueError('INVALID_OPTION', `${path} must be ${expected}; got ${describe(got)}`);
}

/** `parent.key`, or `key` at the top. */
export const pathOf = (parent: string, key: string): string => (parent === '' ? key : `${parent}.${key}`);

/**
 * A copy of an object that has only `known` keys: each is read once, and what is `undefined` is left out.
 *
 * @throws DelayQueueError INVALID_OPTION naming the unknown key, with the known one that is closest to it
 */
export function readObject<Key extends string>(
  value: unknown,
  path: string,
  known: readonly Key[],
): Partial<Record<Key, unknown>> {
  const what = path === '' ? 'the options' : path;
  if (value === undefined) return {};
  return readable(what, 'INVALID_OPTION', () => {
    const given = checkObject(value, what);
    for (const key of Object.keys(given)) {
      if ((known as readonly string[]).includes(key)) continue;
      throw new DelayQueueError(
        'INVALID_OPTION',
        `${pathOf(path, key)} is no option${didYouMean(key, known)}; ${what} may have ${known.join(', ')}`,
      );
    }
    const copy: Partial<Record<Key, unknown>> = {};
    for (const key of known) {
      const member = given[key];
      if (member !== undefined) copy[key] = member;
    }
    return copy;
  });
}

/** The names and values of an object that may have any. */
export function readEntries(value: unknown, path: string): readonly [string, unknown][] {
  if (value === undefined) return [];
  return readable(path, 'INVALID_OPTION', () => Object.entries(checkObject(value, path)));
}

function checkObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidOption(what, 'an object', value);
}

/** A whole number from `min` to `max`. */
export function readInteger(value: unknown, path: string, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw invalidOption(path, `a whole number from ${min} to ${max}`, value);
}

/** Any finite number from `min` to `max`. */
export function readNumber(value: unknown, path: string, min: number, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  throw invalidOption(path, `a number from ${min} to ${max}`, value);
}

/** A duration from `minMs` to `maxMs`, in milliseconds. */
export function readDuration(value: unknown, path: string, minMs: number, maxMs: number): number | undefined {
  if (value === undefined) return undefined;
  const ms = toMilliseconds(value as DelayInput, path, 'INVALID_OPTION');
  if (ms >= minMs && ms <= maxMs) return ms;
  throw invalidOption(path, `a duration from ${minMs} to ${maxMs} ms`, value);
}

/** One of a few words. */
export function readOneOf<Choice extends string>(
  value: unknown,
  path: string,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw invalidOption(path, choices.map((choice) => `'${choice}'`).join(' or '), value);
}

/** `true` or `false`. */
export function readBoolean(value: unknown, path: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw invalidOption(path, 'true or false', value);
}

/** A text that matches `pattern`, which `expected` puts in words. */
export function readText(
  value: unknown,
  path: string,
  pattern: RegExp,
  expected: string,
): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw invalidOption(path, expected, value);
}

/** A function; `expected` says of what kind. */
export function readFunction<Fn>(value: unknown, path: string, expected: string): Fn | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'function') return value as Fn;
  throw invalidOption(path, expected, value);
}

/** Something (an object or a class instance) that has all of `methods`. */
export function readInstance<Type>(
  value: unknown,
  path: string,
  methods: readonly (keyof Type & string)[],
): Type | undefined {
  if (value === undefined) return undefined;
  const candidate = value as Record<string, unknown> | null;
  const fits = candidate !== null && (typeof value === 'object' || typeof value === 'function');
  const able = (): boolean => methods.every((method) => typeof candidate?.[method] === 'function');
  if (fits && readable(path, 'INVALID_OPTION', able)) return value as Type;
  throw invalidOption(path, `an object with the methods ${methods.join(', ')}`, value);
}
