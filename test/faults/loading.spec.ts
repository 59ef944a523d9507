import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { fill, FILLERS } from './support/faults.js';
import type { Member } from './support/fleet.js';
import { openStage } from './support/stage.js';
import { expectNobodyRobbed, OUT_OF_TIME, rejections, worked } from './support/through.js';

/** Longer than a send and a starting process wait for Redis, 5 s. */
const LOADING_MS = 6_000;

it('a Redis that restarts and loads for long: those who run wait for it, those who start meanwhile too', async () => {
  const stage = await openStage({
    env: { LEASE: '5s' },
    // A server that is told to stop saves everything; each key then takes its time to load.
    redis: [
      ...['--save', '3600 1', '--loading-process-events-interval-bytes', '1024'],
      ...['--key-load-delay', String((LOADING_MS * 1_000) / FILLERS)],
    ],
  });
  const { client, fleet, server } = stage;
  const probe = new Redis(server.url, { enableReadyCheck: false });
  probe.on('error', () => undefined);
  onTestFinished(() => probe.disconnect());
  await stage.start(2, 2);
  await worked(stage);
  await fill(client);

  const newcomers: Member[] = [];
  await stage.fault('loading', async () => {
    server.signal('SIGTERM');
    await server.restart();
    const began = performance.now();
    newcomers.push(fleet.start('consumer'), fleet.start('producer'));
    await expect(probe.ping()).rejects.toThrow('LOADING');
    await expect.poll(() => probe.ping().catch(String)).toBe('PONG');
    await Promise.all(newcomers.map(({ ready }) => ready));
    console.log(`loaded for ${Math.round(performance.now() - began)} ms`);
  });

  await worked(stage);
  probe.disconnect();
  await client.eval(`redis.call('SELECT', 1) redis.call('FLUSHDB')`, 0);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expectNobodyRobbed(books);
  for (const { name, program } of newcomers) {
    const does = program === 'consumer' ? 'finished' : 'sent';
    expect(stage.entries().filter(({ by, event }) => by === name && event === does)).not.toEqual([]);
  }
  const codes = rejections(stage).get('loading') ?? {};
  expect(codes['UNAVAILABLE']).toBeGreaterThan(0);
  expect(Object.keys(codes).filter((code) => ![...OUT_OF_TIME, 'UNAVAILABLE'].includes(code))).toEqual([]);
});
