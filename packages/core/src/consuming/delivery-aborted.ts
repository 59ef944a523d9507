/** Why the signal of a running handler was aborted. */
export type AbortCause = 'timed-out' | 'lease-expired' | 'draining';

const TEXT: Readonly<Record<AbortCause, string>> = {
  'timed-out': 'the handler took longer than its timeout; the message will be tried again',
  'lease-expired': 'the lease of this message ended before the handler did; another worker may run it now',
  draining: 'the process stops and could not wait any longer for the handler; the message is given back',
};

/**
 * The `reason` of an aborted `message.signal`. It is never thrown by the delay queue itself, only handed to the
 * handler, whose own calls may reject with it. Named `AbortError`, as such errors are everywhere.
 */
export class DeliveryAborted extends Error {
  override readonly name = 'AbortError';

  constructor(readonly code: AbortCause) {
    super(`${code}: ${TEXT[code]}`);
  }
}
