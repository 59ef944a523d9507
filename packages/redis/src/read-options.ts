import { DelayQueueError } from '@delay-queue/core';
import { readDurability, type Durability } from './durability.js';
import type { RedisEngineOptions } from './redis-engine-options.js';

const KNOWN: readonly string[] = [
  'connection',
  'strict',
  'durability',
] satisfies (keyof RedisEngineOptions)[];

/**
 * Reads the engine's options.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option
 */
export function readOptions(options: RedisEngineOptions): {
  connection: unknown;
  strict: boolean;
  durability: Durability | undefined;
} {
  // What came is told by its type only: a URL has a password in it.
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `redisEngine needs an object with the option connection; got ${given === null ? 'null' : typeof given}`,
    );
  }
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `redisEngine does not know the option '${unknown}'; it knows ${KNOWN.join(', ')} (as the module's engine give redisEngine({ connection }), called)`,
    );
  }
  if (!('connection' in given)) {
    throw new DelayQueueError('INVALID_OPTION', 'redisEngine needs the option connection; it is not there');
  }
  const strict: unknown = 'strict' in given ? (given.strict ?? false) : false;
  if (typeof strict !== 'boolean') {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `redisEngine's strict must be true or false; got ${typeof strict}`,
    );
  }
  const durability = readDurability('durability' in given ? given.durability : undefined);
  return { connection: given.connection, strict, durability };
}
