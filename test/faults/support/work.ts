/** The topic of all messages. */
export const TOPIC = 'work';

/** What the handler does after its time: `fail` throws the first time, `die` is a dead letter. */
export type Does = 'return' | 'fail' | 'die';

/** The content of a message. */
export interface Work {
  readonly ms: number;
  readonly does: Does;
}
