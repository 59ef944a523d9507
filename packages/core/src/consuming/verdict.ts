import type { Verdict } from '../engine.js';
import type { ConsumerProperties } from '../delay-queue-properties.js';
import { toMilliseconds } from '../duration.js';
import { DeadLetter, RetryLater } from '../handler-outcome.js';
import type { Delivery } from './delivery.js';
import { clip, field, MAX_REASON_BYTES, reasonText } from '../reason-text.js';

/** A `RetryLater` beyond this is a mistake (an absolute time, most likely) and counts as an invalid delay. */
const LONGEST_RETRY_MS = 10 * 366 * 86_400_000;

/** A verdict on a failed delivery, with what to tell the log. */
export interface FailureVerdict {
  readonly verdict: Extract<Verdict, { verdict: 'retry' | 'dead' }>;
  /** Readable, at most 1 KiB of UTF-8. */
  readonly reason: string;
}

/**
 * What becomes of a delivery whose handler threw: `RetryLater` and `DeadLetter` as they say, anything else (and a
 * `RetryLater` without a usable delay) a retry by policy until the attempts are used up, then a dead letter.
 */
export function verdictOf(
  delivery: Delivery,
  thrown: unknown,
  properties: ConsumerProperties,
): FailureVerdict {
  const { id } = delivery.claimed;
  let reason = reasonText(thrown);
  if (isA(thrown, DeadLetter)) {
    const own = field(thrown, 'message');
    if (typeof own === 'string' && own.trim() !== '') reason = clip(own.trim(), MAX_REASON_BYTES);
    return { verdict: { id, verdict: 'dead', reason, failed: true }, reason };
  }
  if (isA(thrown, RetryLater)) {
    const delayMs = delayOf(thrown);
    if (delayMs !== undefined) return { verdict: { id, verdict: 'retry', delayMs, failed: false }, reason };
    reason = clip(`RetryLater with an invalid delay, retried by policy instead. ${reason}`, MAX_REASON_BYTES);
  }
  const failures = delivery.claimed.failures + 1;
  if (failures >= properties.maxAttempts) {
    return { verdict: { id, verdict: 'dead', reason, failed: true }, reason };
  }
  const delayMs = properties.backoffMs(failures, thrown);
  return { verdict: { id, verdict: 'retry', delayMs, failed: true }, reason };
}

/** `instanceof` for anything thrown: asking some values (revoked proxies) throws. */
function isA<T>(thrown: unknown, type: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

function delayOf(later: RetryLater): number | undefined {
  try {
    const delayMs = toMilliseconds(later.delay, 'RetryLater');
    return delayMs <= LONGEST_RETRY_MS ? delayMs : undefined;
  } catch {
    return undefined;
  }
}
