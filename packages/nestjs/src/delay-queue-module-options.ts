import type { DelayQueueOptions } from '@delay-queue/core';

/** What both `forRoot` and `forRootAsync` take beside the options, known before any provider is made. */
export interface DelayQueueModuleExtras {
  /** Tells several instances in one application apart: `@InjectDelayQueue(name)`, `{ delayQueue: name }`. @default 'default' */
  name?: string;
  /** Whether every module can inject the instance without importing it. @default true */
  isGlobal?: boolean;
}

/** Options of an instance as a factory returns them: the name is given beside the factory. */
export type DelayQueueFactoryOptions = Omit<DelayQueueOptions, 'name'>;

/** Options of `DelayQueueModule.forRoot`. */
export type DelayQueueModuleOptions = DelayQueueFactoryOptions & DelayQueueModuleExtras;

/** What a class given as `useClass` or `useExisting` implements. */
export interface DelayQueueOptionsFactory {
  createDelayQueueOptions(): Promise<DelayQueueFactoryOptions> | DelayQueueFactoryOptions;
}
