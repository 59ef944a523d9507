import type { DelayInput, DelayQueueOptions } from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { redisEngine } from '@delay-queue/redis';
import type { NoticeChannel } from './notices/notice-channel.js';

/** What can differ between the shop under `npm start`, the demo and the tests. */
export interface ShopSettings {
  readonly delayQueue: DelayQueueOptions;
  /** How long an order may stay unpaid. */
  readonly orderTimeout: DelayInput;
  /** How customers are told. @default a line in the log */
  readonly noticeChannel?: NoticeChannel;
}

/** Where messages are kept: in the Redis of `REDIS_URL`, or else in this process. */
export function storageFrom(
  redisUrl: string | undefined,
): Pick<DelayQueueOptions, 'engine'> & { name: string } {
  if (redisUrl === undefined || redisUrl === '') {
    return { engine: memoryEngine(), name: 'memory (they end with this process; set REDIS_URL for Redis)' };
  }
  if (!URL.canParse(redisUrl))
    throw new Error(`REDIS_URL must be like redis://localhost:6379; got '${redisUrl}'`);
  const { protocol, host, pathname } = new URL(redisUrl);
  return { engine: redisEngine({ connection: redisUrl }), name: `Redis at ${protocol}//${host}${pathname}` };
}
