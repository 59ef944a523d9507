import { reasonText } from '../reason-text.js';
import { DelayQueueError, type DelayQueueErrorCode } from '../errors.js';

/**
 * What a failed engine call means for its messages:
 * - `repeat`: nothing was done, or it is not known (`unknown`); the same call may work later;
 * - `fault`: repeating does not cure it, but it may be the fault of one message among others;
 * - `final`: repeating is of no use: no call will work any more, or this one was carried out.
 */
export interface EngineFailure {
  readonly kind: 'repeat' | 'fault' | 'final';
  readonly unknown: boolean;
  readonly error: DelayQueueError;
}

const NOTHING_DONE: readonly DelayQueueErrorCode[] = ['UNAVAILABLE', 'OUT_OF_MEMORY', 'READ_ONLY'];
const FINAL: readonly DelayQueueErrorCode[] = [
  'CLOSED',
  'UNSAFE_REDIS',
  'UNSUPPORTED',
  'INVALID_OPTION',
  'NOT_DURABLE',
];

/** Reads a rejection by the contract at the head of `engine.ts`. What is no `DelayQueueError` is of unknown outcome. */
export function engineFailure(thrown: unknown): EngineFailure {
  if (!(thrown instanceof DelayQueueError)) {
    const error = new DelayQueueError('TIMEOUT', `the engine failed unexpectedly: ${reasonText(thrown)}`, {
      mayBeStored: true,
      cause: thrown,
    });
    return { kind: 'fault', unknown: true, error };
  }
  const { code, mayBeStored } = thrown;
  if (code === 'TIMEOUT') return { kind: 'repeat', unknown: mayBeStored, error: thrown };
  if (NOTHING_DONE.includes(code)) return { kind: 'repeat', unknown: false, error: thrown };
  return { kind: FINAL.includes(code) ? 'final' : 'fault', unknown: mayBeStored, error: thrown };
}
