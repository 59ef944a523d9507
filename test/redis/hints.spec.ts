import { expect, inject, it } from 'vitest';
import { Redis } from 'ioredis';
import { lossyProxy } from './lossy-proxy.js';
import { putDue } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';

it('hints come again after every break of the subscription', async () => {
  const engine = await openEngine(inject('redisUrl'));
  const admin = new Redis(inject('redisUrl'));
  let hints = 0;
  engine.watch(() => hints++);
  const subscribers = (): Promise<number> => subscribersOf(admin, engine);
  for (let round = 1; round <= 5; round++) {
    await expect.poll(subscribers).toBe(1);
    await putDue(engine, `m${round}`);
    if (round === 1) await expect.poll(() => hints).toBe(1);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  }
  await expect.poll(subscribers).toBe(1);
  admin.disconnect();
});

it('a subscription that breaks while it is made again leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const proxy = await lossyProxy(inject('redisUrl'));
  const admin = new Redis(inject('redisUrl'));
  try {
    const engine = await openEngine(`redis://127.0.0.1:${proxy.port}`);
    engine.watch(() => undefined);
    const subscribers = (): Promise<number> => subscribersOf(admin, engine);
    await expect.poll(subscribers).toBe(1);
    proxy.swallow = 'subscribe';
    for (let round = 0; round < 3; round++) {
      const before = proxy.connections;
      proxy.cut();
      await expect.poll(() => proxy.connections).toBeGreaterThan(before);
      await expect.poll(subscribers).toBe(1);
    }
    await engine.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
    admin.disconnect();
    await proxy.close();
  }
});

async function subscribersOf(admin: Redis, engine: TestEngine): Promise<number> {
  const counts: unknown = await admin.call('PUBSUB', 'NUMSUB', `{${engine.namespace}}:hints`);
  return Array.isArray(counts) ? Number(counts[1]) : 0;
}
