import { DelayQueueError, describe, readObject, toMilliseconds } from '@delay-queue/core';
import type { RedisDurability } from './redis-engine-options.js';

/** What must be confirmed before a call counts as done. */
export interface Durability {
  readonly replicas: number;
  readonly fsync: boolean;
  readonly timeoutMs: number;
}

const KEYS = ['replicas', 'fsync', 'timeout'] as const satisfies readonly (keyof RedisDurability)[];
const DEFAULT_TIMEOUT_MS = 1_000;
/** Shorter than a silent socket is given, which would count as dead. */
const LONGEST_TIMEOUT_MS = 3_000;
const MOST_REPLICAS = 16;

/**
 * Reads the option `durability`.
 *
 * @throws DelayQueueError INVALID_OPTION naming the option
 */
export function readDurability(given: unknown): Durability | undefined {
  if (given === undefined) return undefined;
  const { replicas = 0, fsync = false, timeout = DEFAULT_TIMEOUT_MS } = readObject(given, 'durability', KEYS);
  if (!Number.isInteger(replicas) || (replicas as number) < 0 || (replicas as number) > MOST_REPLICAS) {
    throw invalid('durability.replicas', `a whole number from 0 to ${MOST_REPLICAS}`, replicas);
  }
  if (typeof fsync !== 'boolean') throw invalid('durability.fsync', 'true or false', fsync);
  const timeoutMs = toMilliseconds(
    timeout as RedisDurability['timeout'] & {},
    'durability.timeout',
    'INVALID_OPTION',
  );
  if (timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS) {
    throw invalid('durability.timeout', `a duration from 1 to ${LONGEST_TIMEOUT_MS} ms`, timeout);
  }
  if (replicas === 0 && !fsync) {
    throw invalid('durability', 'replicas of at least 1, fsync: true, or both', given);
  }
  return { replicas: replicas as number, fsync, timeoutMs };
}

const invalid = (path: string, expected: string, got: unknown): DelayQueueError =>
  new DelayQueueError('INVALID_OPTION', `redisEngine's ${path} must be ${expected}; got ${describe(got)}`);
