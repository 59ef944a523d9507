export { memoryEngine, type MemoryEngineOptions } from './memory-engine-factory.js';
export { MemoryStore, type MemoryStoreOptions, type MemoryStoreStats } from './memory-store.js';
export { TimingWheel } from './wheel/timing-wheel.js';
