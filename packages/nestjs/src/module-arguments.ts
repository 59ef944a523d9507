import { DelayQueueError, describe } from '@delay-queue/core';

const FACTORY_KEYS = ['useFactory', 'useClass', 'useExisting'];
const ASYNC_KEYS = [...FACTORY_KEYS, 'imports', 'inject', 'provideInjectionTokensFrom', 'name', 'isGlobal'];

/**
 * Checks what only the module sees of `forRoot`'s options; the rest is checked at boot, by core.
 *
 * @throws DelayQueueError INVALID_OPTION
 */
export function checkRootArguments(options: unknown): void {
  checkExtras('forRoot', options);
}

/**
 * Checks the keys of `forRootAsync`: the builder ignores unknown ones, and answers missing ones with a riddle.
 *
 * @throws DelayQueueError INVALID_OPTION
 */
export function checkAsyncArguments(options: unknown): void {
  const given = checkExtras('forRootAsync', options);
  const unknown = Object.keys(given).find((key) => !ASYNC_KEYS.includes(key));
  if (unknown !== undefined) {
    invalid(
      `DelayQueueModule.forRootAsync does not know the key '${unknown}': it takes ${ASYNC_KEYS.join(', ')}. Options of the queue belong into what the factory returns`,
    );
  }
  const ways = FACTORY_KEYS.filter((key) => Reflect.get(given, key) !== undefined);
  if (ways.length !== 1) {
    invalid(
      `DelayQueueModule.forRootAsync needs exactly one of useFactory, useClass and useExisting; got ${ways.join(' and ') || 'none'}`,
    );
  }
  const useClass: unknown = Reflect.get(given, 'useClass');
  if (useClass !== undefined && !makesOptions(useClass)) {
    invalid(
      `DelayQueueModule.forRootAsync: useClass must be a class with a method createDelayQueueOptions(); got ${describe(useClass)} without it`,
    );
  }
}

function makesOptions(useClass: unknown): boolean {
  const prototype: unknown = typeof useClass === 'function' ? useClass.prototype : undefined;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    typeof Reflect.get(prototype, 'createDelayQueueOptions') === 'function'
  );
}

function checkExtras(method: string, options: unknown): object {
  if (typeof options !== 'object' || options === null) {
    invalid(`DelayQueueModule.${method} needs an object with options; got ${describe(options)}`);
  }
  const name: unknown = Reflect.get(options, 'name') ?? 'default';
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) {
    invalid(`name must be 1-64 of A-Z a-z 0-9 . _ -; got ${describe(name)}`);
  }
  const isGlobal: unknown = Reflect.get(options, 'isGlobal') ?? true;
  if (typeof isGlobal !== 'boolean') invalid(`isGlobal must be true or false; got ${describe(isGlobal)}`);
  return options;
}

function invalid(message: string): never {
  throw new DelayQueueError('INVALID_OPTION', message);
}
