export { systemClock, type Clock, type SimulationMember, type Timer, type TimerOptions } from './clock.js';
export type { Codec } from './codec.js';
export { DeliveryAborted, type AbortCause } from './consuming/delivery-aborted.js';
export { DelayConsumerQueue, type ConsumerQueueDeps, type Handler } from './delay-consumer-queue.js';
export { DelayProduceQueue } from './delay-produce-queue.js';
export { DelayQueueContext } from './delay-queue-context.js';
export type * from './delay-queue-properties.js';
export { DelayQueueRuntime } from './delay-queue-runtime.js';
export { describe } from './describe.js';
export { didYouMean } from './did-you-mean.js';
export { toMilliseconds, type DelayInput, type DurationLike } from './duration.js';
export type * from './engine.js';
export { EngineHealth } from './engine-health.js';
export {
  DelayQueueError,
  ERROR_CODES,
  type DelayQueueErrorCode,
  type DelayQueueErrorDetails,
} from './errors.js';
export { DeadLetter, RetryLater } from './handler-outcome.js';
export { jumpHashSelector, type IsolationRegionSelector } from './isolation-region-selector.js';
export { jsonCodec } from './json-codec.js';
export type { Logger } from './logger.js';
export type { ConsumerTask, DelayMessage } from './message.js';
export { readObject } from './option-readers.js';
export type * from './options.js';
export type * from './outcomes.js';
export { readConsumerOptions } from './read-consumer.js';
export { resolveProperties } from './resolve-properties.js';
export { TopicInspector, type TopicCounts, type TopicPage } from './topic-inspector.js';
export type { TopicMap } from './topic-map.js';
export { checkTopic } from './topic-name.js';
export { TopicRegistry } from './topic-registry.js';
export { VirtualClock } from './virtual-clock.js';
