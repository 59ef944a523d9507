import type { SendOptions } from '../options.js';

/** One send, validated: nothing about it can be refused at the door any more. */
export interface PreparedMessage {
  readonly id: string;
  /** Made here; only this process knows it. */
  readonly generated: boolean;
  /** Whether another send may have the same id. */
  readonly mayCollide: boolean;
  /** From the moment of the send; 0 where `at` is given. */
  readonly delayMs: number;
  /** Epoch milliseconds by the store's clock. */
  readonly at: number | undefined;
  readonly content: string;
  /** Bytes, roughly. */
  readonly weight: number;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly onDuplicate: NonNullable<SendOptions['onDuplicate']>;
  readonly timeoutMs: number;
}
