export { HINT_CHANNEL, NAMESPACE_KEYS, REGION_KEYS, type KeyDescription } from './keys.js';
export { redisEngine } from './redis-engine.js';
export type {
  RedisClusterConnection,
  RedisConnection,
  RedisDurability,
  RedisEngineOptions,
} from './redis-engine-options.js';
