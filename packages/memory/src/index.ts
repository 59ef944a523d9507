export { memoryEngine, type MemoryEngineOptions } from './memory-engine-factory.js';
export { MemoryStore, type MemoryStoreOptions } from './memory-store.js';
