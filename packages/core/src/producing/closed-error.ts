import { DelayQueueError } from '../errors.js';

/** What every call of a closed delay queue rejects with. */
export const closedError = (name: string): DelayQueueError =>
  new DelayQueueError('CLOSED', `delay queue '${name}' is closed; nothing can be sent or changed any more`);
