import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DelayQueueError } from '@delay-queue/core';
import { DelayQueueCoreModule } from './delay-queue-core.module.js';
import { ConfigurableModuleClass, type ASYNC_OPTIONS_TYPE } from './delay-queue.module-definition.js';
import type { DelayQueueModuleOptions } from './delay-queue-module-options.js';
import { checkAsyncArguments, checkRootArguments } from './module-arguments.js';

/**
 * A delay queue in a Nest application: `DelayQueueContext` to inject, and the classes decorated with
 * `@DelayConsumer` run from the moment the application is ready until it begins to close.
 *
 * Import it once per instance; several instances differ by `name`.
 */
@Module({})
export class DelayQueueModule extends ConfigurableModuleClass implements OnModuleInit {
  /**
   * An instance with these options. They are validated while the application starts.
   *
   * @throws DelayQueueError INVALID_OPTION for what is no options object
   */
  static override forRoot(options: DelayQueueModuleOptions): DynamicModule {
    checkRootArguments(options);
    return super.forRoot(options);
  }

  /**
   * An instance whose options come from a factory (`useFactory` with `inject`), or from a class that implements
   * `DelayQueueOptionsFactory` (`useClass`, `useExisting`). `name` and `isGlobal` stand beside it.
   *
   * @throws DelayQueueError INVALID_OPTION for unknown keys, and unless there is exactly one of the three
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkAsyncArguments(options);
    return super.forRootAsync(options);
  }

  /**
   * Nest starts modules from the greatest distance to the least and stops them the other way round. Consumers
   * must be the last to start and the first to stop, before any resource that a handler needs is closed; what
   * they send through must be there before all others and outlive them, global or not.
   */
  constructor(private readonly modules: ModulesContainer) {
    super();
    for (const module of modules.values()) {
      if (module.metatype === new.target) module.distance = -1;
      if (module.metatype === DelayQueueCoreModule) module.distance = Number.MAX_VALUE;
    }
  }

  /** Options that depend on a request would make engine and consumers so, and Nest would never start them. */
  onModuleInit(): void {
    for (const module of this.modules.values()) {
      if (module.metatype !== DelayQueueCoreModule) continue;
      for (const wrapper of module.providers.values()) {
        if (wrapper.isDependencyTreeStatic()) continue;
        throw new DelayQueueError(
          'INVALID_OPTION',
          'DelayQueueModule.forRootAsync must not inject request-scoped providers: a delay queue lives as long as the application',
        );
      }
    }
  }
}
