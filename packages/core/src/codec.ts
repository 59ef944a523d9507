/** Turns content into text and back. */
export interface Codec {
  /** @throws DelayQueueError INVALID_CONTENT for what would not survive */
  encode(content: unknown): string;
  /** Throws for text it cannot read: the message becomes a dead letter with that reason. */
  decode(text: string): unknown;
}
