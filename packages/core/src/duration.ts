import { types } from 'node:util';
import ms, { type StringValue } from 'ms';
import { describe } from './describe.js';
import { DelayQueueError, type DelayQueueErrorCode } from './errors.js';

/** Anything that can tell its length in milliseconds, such as a `Temporal.Duration`. */
export interface DurationLike {
  total(unit: 'milliseconds'): number;
}

/** A duration: milliseconds, digits with a lower-case unit such as `'30m'` or `'1.5h'`, or a Temporal duration. */
export type DelayInput = number | StringValue | (string & {}) | DurationLike;

const DURATION = /^\d+(\.\d+)? ?[a-z]+$/;

/**
 * A duration in whole milliseconds, fractions rounded up.
 *
 * @throws DelayQueueError `code`, naming `what`, for anything that is not a finite duration of 0 or more.
 */
export function toMilliseconds(
  input: DelayInput,
  what: string,
  code: DelayQueueErrorCode = 'INVALID_DELAY',
): number {
  const value = read(input);
  if (value === undefined || !Number.isFinite(value) || value < 0) {
    const hint = types.isDate(input) && code === 'INVALID_DELAY' ? ' (for a moment in time use sendAt)' : '';
    throw new DelayQueueError(
      code,
      `${what} must be milliseconds of 0 or more, digits with a lower-case unit such as '30m', or a Temporal duration; got ${describe(input)}${hint}`,
    );
  }
  return Math.ceil(value) + 0;
}

function read(input: unknown): number | undefined {
  if (typeof input === 'number') return input;
  if (typeof input === 'string') return DURATION.test(input) ? ms(input as StringValue) : undefined;
  if (typeof input !== 'object' || input === null) return undefined;
  try {
    const total = (input as Partial<DurationLike>).total;
    const value: unknown = typeof total === 'function' ? total.call(input, 'milliseconds') : undefined;
    return typeof value === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}
