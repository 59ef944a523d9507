import { makeMemoryStore } from '../contract/memory-store.js';
import type { ModelStore } from './model-store.js';

/** A memory store; an answer that nobody waits for stands for a lost one. */
export async function memoryModelStore(maxMessages: number): Promise<ModelStore> {
  const store = await makeMemoryStore(maxMessages === Infinity ? {} : { maxMessages });
  return {
    ...store,
    givesBack: false,
    maxMessages,
    async lose(make) {
      await make();
      return 'lost';
    },
  };
}
