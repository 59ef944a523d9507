import { afterAll, beforeAll } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { describeModel } from './describe-model.js';
import { lossyProxy, type LossyProxy } from './lossy-proxy.js';
import { redisModelStore } from './redis-model-store.js';

let server: RedisServer;
let proxy: LossyProxy;

// A server of its own: it is made to run out of memory.
beforeAll(async () => {
  server = await startRedis();
  proxy = await lossyProxy(server.port);
});

afterAll(async () => {
  await proxy.close();
  await server.stop();
});

describeModel('Redis engine', () => redisModelStore(server.url, proxy));
