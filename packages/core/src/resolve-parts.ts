import type { Clock } from './clock.js';
import type { Codec } from './codec.js';
import { describe } from './describe.js';
import type { EngineFactory } from './engine.js';
import { DelayQueueError } from './errors.js';
import type { IsolationRegionSelector } from './isolation-region-selector.js';
import type { Logger } from './logger.js';
import { invalidOption, readFunction, readInstance } from './option-readers.js';

/* The options that are code, not data: each is checked for what it must be able to do. */

/** Checks `engine`, the one option without a default. Texts are not shown: a URL may have a password in it. */
export function readEngine(engine: unknown): EngineFactory {
  if (typeof engine === 'function') return engine as EngineFactory;
  const got = typeof engine === 'string' ? 'a string' : describe(engine);
  throw new DelayQueueError(
    'INVALID_OPTION',
    `engine must be an engine factory, such as redisEngine({ connection }) or memoryEngine(); got ${got}`,
  );
}

/** Checks `regionSelector`. */
export function readSelector(selector: unknown): IsolationRegionSelector | undefined {
  const read = readInstance<IsolationRegionSelector>(selector, 'regionSelector', ['select']);
  if (read === undefined || (typeof read.name === 'string' && /^[\x21-\x7e]{1,64}$/.test(read.name))) {
    return read;
  }
  throw invalidOption('regionSelector.name', 'a text of 1-64 printable characters without spaces', read.name);
}

/** Checks `codec`. */
export const readCodec = (codec: unknown): Codec | undefined =>
  readInstance<Codec>(codec, 'codec', ['encode', 'decode']);

/** Checks `idGenerator`. What it makes is checked at each send. */
export const readIdGenerator = (generator: unknown): (() => string) | undefined =>
  readFunction<() => string>(generator, 'idGenerator', 'a function that returns a new id');

/** Checks `logger`. */
export const readLogger = (logger: unknown): Logger | undefined =>
  readInstance<Logger>(logger, 'logger', ['log', 'warn', 'error']);

/** Checks `clock`. */
export const readClock = (clock: unknown): Clock | undefined =>
  readInstance<Clock>(clock, 'clock', ['now', 'monotonic', 'setTimer']);
