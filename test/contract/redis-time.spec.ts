import { systemClock } from '@delay-queue/core';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { makeRedisStore } from './redis-store.js';
import { RegionDriver } from './support/region-driver.js';
import { scaled } from './support/scale.js';
import { REGION } from './support/use-store.js';

/** The server's own clock, which counts microseconds while the queue counts milliseconds. */
describe('Redis engine under the real clock', () => {
  let raw: Redis;

  beforeAll(() => {
    raw = new Redis(inject('redisUrl'));
  });

  afterAll(() => raw.quit());

  /** The server's time in milliseconds, with its fraction. */
  const serverTime = async () => {
    const [seconds, microseconds] = await raw.time();
    return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
  };

  it.each([1, 2, 3])('is not early by a fraction of a millisecond, delay %i ms', async (delayMs) => {
    const store = await makeRedisStore({ url: inject('redisUrl'), engineClock: systemClock });
    try {
      const worker = new RegionDriver(await store.worker(), REGION);
      let earliest = Infinity;
      for (let i = 0; i < scaled(150, 100); i++) {
        const before = await serverTime();
        expect(await worker.put('a', delayMs)).toEqual({ outcome: 'stored' });
        let claim = await worker.claim();
        while (claim.lease === undefined) claim = await worker.claim();
        earliest = Math.min(earliest, (await serverTime()) - before - delayMs);
        await worker.done(claim.lease, 'a');
      }
      expect(earliest).toBeGreaterThanOrEqual(0);
    } finally {
      await store.close();
    }
  });

  it('tells the time of the server', async () => {
    const store = await makeRedisStore({ url: inject('redisUrl'), engineClock: systemClock });
    try {
      const worker = new RegionDriver(await store.worker(), REGION);
      const before = await serverTime();
      const { now } = await worker.claim();
      expect(now).toBeGreaterThanOrEqual(Math.floor(before));
      expect(now).toBeLessThanOrEqual(await serverTime());
      await worker.put('a', 60_000);
      const { lookAt } = await worker.claim();
      expect(lookAt).toBeGreaterThanOrEqual(before + 60_000);
      expect(lookAt).toBeLessThanOrEqual(Math.ceil(await serverTime()) + 60_000);
    } finally {
      await store.close();
    }
  });
});
