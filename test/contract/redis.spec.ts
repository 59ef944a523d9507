import { inject } from 'vitest';
import { describeEngine } from './describe-engine.js';
import { makeRedisStore } from './redis-store.js';

describeEngine('Redis engine', (options) => makeRedisStore({ url: inject('redisUrl'), ...options }));
