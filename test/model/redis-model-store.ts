import { DelayQueueError } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { makeRedisStore } from '../contract/redis-store.js';
import type { LossyProxy } from './lossy-proxy.js';
import type { ModelStore } from './model-store.js';

/** A namespace on a Redis server of the test's own, reached through a proxy that can lose answers. */
export async function redisModelStore(url: string, proxy: LossyProxy): Promise<ModelStore> {
  const store = await makeRedisStore({ url, workerUrl: `redis://127.0.0.1:${proxy.port}` });
  const admin = new Redis(url);
  const setFull = async (full: boolean) => {
    await admin.config('SET', 'maxmemory', full ? '1' : '0');
  };
  return {
    ...store,
    givesBack: true,
    maxMessages: Infinity,
    setFull,
    async lose(make) {
      for (;;) {
        try {
          return { result: await proxy.loseAnswerOf(make) };
        } catch (error) {
          if (!(error instanceof DelayQueueError)) throw error;
          if (error.code === 'TIMEOUT' && error.mayBeStored) return 'lost';
          // Still cut off from an earlier loss: nothing was done.
          if (error.code !== 'UNAVAILABLE') throw error;
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }
    },
    async close() {
      await setFull(false);
      await store.close();
      await admin.quit();
    },
  };
}
