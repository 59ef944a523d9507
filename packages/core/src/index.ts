export { systemClock, type Clock, type SimulationMember, type Timer } from './clock.js';
export type { Codec } from './codec.js';
export { toMilliseconds, type DelayInput, type DurationLike } from './duration.js';
export type * from './engine.js';
export {
  DelayQueueError,
  ERROR_CODES,
  type DelayQueueErrorCode,
  type DelayQueueErrorDetails,
} from './errors.js';
export { DeadLetter, RetryLater } from './handler-outcome.js';
export { jumpHashSelector, type IsolationRegionSelector } from './isolation-region-selector.js';
export type { Logger } from './logger.js';
export type { ConsumerTask, DelayMessage } from './message.js';
export type * from './delay-queue-properties.js';
export type * from './options.js';
export type * from './outcomes.js';
