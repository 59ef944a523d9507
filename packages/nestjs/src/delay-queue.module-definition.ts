import { ConfigurableModuleBuilder, type DynamicModule } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DEFAULT_NAME } from './default-name.js';
import { coreModuleOf } from './delay-queue-core.module.js';
import { DelayQueueInitHandler } from './delay-queue-init-handler.js';
import type { DelayQueueFactoryOptions, DelayQueueModuleExtras } from './delay-queue-module-options.js';
import { OPTIONS, runtimeToken } from './internal-tokens.js';
import { getDelayQueueInitHandlerToken } from './tokens.js';

/** `forRoot` and `forRootAsync`: a core module with the engine inside, around it the module that runs consumers. */
export const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DelayQueueFactoryOptions>({ optionsInjectionToken: OPTIONS })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createDelayQueueOptions')
    .setExtras<DelayQueueModuleExtras>({ name: DEFAULT_NAME, isGlobal: true }, wrapCore)
    .build();

/** Extras the user left out arrive as explicit `undefined` when they were spelled so. */
function wrapCore(definition: DynamicModule, extras: DelayQueueModuleExtras): DynamicModule {
  const name = extras.name ?? DEFAULT_NAME;
  const core = coreModuleOf(definition, name, extras.isGlobal ?? true);
  const initHandler = getDelayQueueInitHandlerToken(name);
  return {
    module: definition.module,
    imports: [core],
    providers: [
      {
        provide: initHandler,
        inject: [runtimeToken(name), ModulesContainer],
        useFactory: (...parts: ConstructorParameters<typeof DelayQueueInitHandler>) =>
          new DelayQueueInitHandler(...parts),
      },
    ],
    exports: [core, initHandler],
  };
}
