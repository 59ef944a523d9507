/** The topics of the messages; the second keeps the ids of what it handled for a while. */
export const TOPIC = 'work';
export const DEDUPED = 'once';
export const TOPICS = [TOPIC, DEDUPED];

/** What the handler does after its time: `fail` throws the first time, `die` is a dead letter. */
export type Does = 'return' | 'fail' | 'die';

/** The content of a message. */
export interface Work {
  readonly ms: number;
  readonly does: Does;
  /** Which of the messages with this id it is, from 1 on. */
  readonly version: number;
}
