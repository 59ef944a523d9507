import { types } from 'node:util';
import { describe } from './describe.js';
import { toMilliseconds, type DelayInput } from './duration.js';
import { DelayQueueError } from './errors.js';

/**
 * A delay in whole milliseconds, at most `maxDelayMs`.
 *
 * @throws DelayQueueError INVALID_DELAY, DELAY_TOO_LONG
 */
export function readDelay(delay: DelayInput, maxDelayMs: number): number {
  const delayMs = toMilliseconds(delay, 'delay');
  if (delayMs <= maxDelayMs) return delayMs;
  throw tooLong(`delay ${describe(delay)} is ${delayMs} ms`, maxDelayMs, 'for a moment in time use sendAt');
}

/**
 * A moment as epoch milliseconds, at most `maxDelayMs` after `now`. One in the past is allowed: due now.
 *
 * @throws DelayQueueError INVALID_DELAY, DELAY_TOO_LONG
 */
export function readMoment(at: unknown, now: number, maxDelayMs: number): number {
  const value = types.isDate(at) ? Date.prototype.getTime.call(at) : at;
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const got = types.isDate(at) ? 'an invalid Date' : describe(at);
    throw new DelayQueueError('INVALID_DELAY', `at must be a valid Date or epoch milliseconds; got ${got}`);
  }
  if (looksLikeSeconds(at, now)) {
    throw new DelayQueueError(
      'INVALID_DELAY',
      `at must be epoch milliseconds; ${value} looks like seconds, multiply it by 1000`,
    );
  }
  const moment = Math.max(0, Math.ceil(value));
  if (moment - now <= maxDelayMs) return moment;
  throw tooLong(`at ${moment} is ${moment - now} ms from now`, maxDelayMs, 'at is in milliseconds');
}

/** Numbers that read as a time between 2001 and 5138 in seconds, and within the first three years of 1970 in ms. */
const looksLikeSeconds = (at: unknown, now: number): boolean =>
  typeof at === 'number' && at >= 1e9 && at < 1e11 && now >= 1e11;

const tooLong = (what: string, maxDelayMs: number, hint: string): DelayQueueError =>
  new DelayQueueError(
    'DELAY_TOO_LONG',
    `${what}, longer than limits.maxDelay (${maxDelayMs} ms); raise limits.maxDelay if it is meant (${hint})`,
  );
