export { DelayConsumer, type ConsumerClass } from './delay-consumer.js';
export type { DelayConsumerOptions } from './delay-consumer-options.js';
export { DelayQueueInitHandler } from './delay-queue-init-handler.js';
export type {
  DelayQueueFactoryOptions,
  DelayQueueModuleExtras,
  DelayQueueModuleOptions,
  DelayQueueOptionsFactory,
} from './delay-queue-module-options.js';
export { DelayQueueModule } from './delay-queue.module.js';
export { InjectDelayQueue } from './inject-delay-queue.js';
export {
  getDelayQueueClockToken,
  getDelayQueueEngineToken,
  getDelayQueueInitHandlerToken,
  getDelayQueueToken,
} from './tokens.js';

/* What an application needs of core, so that it imports from one package. */
export {
  DeadLetter,
  DelayProduceQueue,
  DelayQueueContext,
  DelayQueueError,
  RetryLater,
  VirtualClock,
  jumpHashSelector,
  type BackoffFunction,
  type BackoffOptions,
  type CancelManyResult,
  type CancelOutcome,
  type Clock,
  type Codec,
  type ConsumerOptions,
  type ConsumerPoolOptions,
  type ConsumerTask,
  type DelayInput,
  type DelayMessage,
  type DelayQueueErrorCode,
  type DelayQueueErrorDetails,
  type DelayQueueOptions,
  type DurationLike,
  type EngineFactory,
  type FoundMessage,
  type IsolationRegionSelector,
  type LimitOptions,
  type Logger,
  type MessageState,
  type ProducerOptions,
  type RescheduleOutcome,
  type RetryOptions,
  type SendItem,
  type SendManyResult,
  type SendOptions,
  type SendResult,
  type TopicInspector,
  type TopicOptions,
} from '@delay-queue/core';
