import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import {
  DelayQueueError,
  DelayQueueRuntime,
  describe,
  resolveProperties,
  systemClock,
  type Clock,
  type DelayQueueProperties,
  type EngineFactory,
} from '@delay-queue/core';
import { DEFAULT_NAME } from './default-name.js';
import type { DelayQueueFactoryOptions } from './delay-queue-module-options.js';
import { CHECKED_OPTIONS, OPTIONS, OWN_RUNTIME, PROPERTIES, runtimeToken } from './internal-tokens.js';
import { getDelayQueueClockToken, getDelayQueueEngineToken, getDelayQueueToken } from './tokens.js';

/**
 * The inside of one instance: options, engine, runtime, context. Global, so Nest initialises it first and ends
 * it last: whoever closes down after the consumers can still send.
 */
@Module({})
export class DelayQueueCoreModule implements OnApplicationShutdown {
  constructor(@Inject(OWN_RUNTIME) private readonly runtime: DelayQueueRuntime) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runtime.close();
  }
}

/** The core module of the instance `name`; `definition` brings the options provider and what that imports. */
export function coreModuleOf(definition: DynamicModule, name: string, isGlobal: boolean): DynamicModule {
  return {
    module: DelayQueueCoreModule,
    global: isGlobal,
    imports: definition.imports ?? [],
    providers: [...(definition.providers ?? []), ...instanceProviders(name)],
    exports: [runtimeToken(name), getDelayQueueToken(name)],
  };
}

/** Factories only: two applications made from one `forRoot` object share nothing but the options. */
function instanceProviders(name: string): Provider[] {
  const engine = getDelayQueueEngineToken(name);
  const clock = getDelayQueueClockToken(name);
  return [
    { provide: CHECKED_OPTIONS, inject: [OPTIONS], useFactory: checkOptions },
    {
      provide: engine,
      inject: [CHECKED_OPTIONS],
      useFactory: (options: DelayQueueFactoryOptions) => options.engine,
    },
    {
      provide: clock,
      inject: [CHECKED_OPTIONS],
      useFactory: (options: DelayQueueFactoryOptions) => options.clock ?? systemClock,
    },
    {
      provide: PROPERTIES,
      inject: [CHECKED_OPTIONS, engine, clock],
      useFactory: (options: DelayQueueFactoryOptions, engineFactory: EngineFactory, instanceClock: Clock) =>
        resolveProperties({
          ...options,
          name,
          engine: engineFactory,
          clock: instanceClock,
          logger: options.logger ?? new Logger(name === DEFAULT_NAME ? 'DelayQueue' : `DelayQueue:${name}`),
        }),
    },
    {
      provide: runtimeToken(name),
      inject: [PROPERTIES],
      useFactory: (properties: DelayQueueProperties) => new DelayQueueRuntime(properties),
    },
    { provide: OWN_RUNTIME, useExisting: runtimeToken(name) },
    {
      provide: getDelayQueueToken(name),
      inject: [OWN_RUNTIME],
      useFactory: (runtime: DelayQueueRuntime) => runtime.context,
    },
  ];
}

/** Everything else about the options is core's to check; these two would be lost on the way there. */
function checkOptions(options: unknown): object {
  if (typeof options !== 'object' || options === null) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `The options factory given to DelayQueueModule.forRootAsync must return an options object; it returned ${describe(options)}`,
    );
  }
  const beside = ['name', 'isGlobal'].find((key) => key in options);
  if (beside !== undefined) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `${beside} cannot come from an options factory: give it beside the factory, DelayQueueModule.forRootAsync({ ${beside}, useFactory })`,
    );
  }
  return options;
}
