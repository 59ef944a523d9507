import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { ids, Worker } from './support/consuming.js';

test('no handler sees the store of whoever sent, started, gave a hint or ran before it', async () => {
  const als = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const worker = new Worker(
    async (_, message) => {
      seen.push(als.getStore());
      als.enterWith(`handler of ${message.id}`);
      await Promise.resolve();
      expect(als.getStore()).toBe(`handler of ${message.id}`);
      if (message.attempt === 1 && message.id.startsWith('r')) throw new Error('again');
    },
    { options: { consumer: { concurrency: 3, timeout: '1s' }, retry: { backoff: 50 } } },
  );
  als.run('start', () => worker.start());
  await als.run('request 1', () => worker.put(ids(20, 'a'), 0));
  await als.run('request 2', () => worker.put(ids(20, 'b'), 60));
  await als.run('request 3', () => worker.put(ids(20, 'r'), 20));
  als.run('hint', () => worker.queue.hint(0, Date.now() + 30));
  await expect.poll(() => seen.length).toBe(80);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test('nor one that runs after a synchronous handler, a time limit or a listener of a signal', async () => {
  const als = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const worker = new Worker(
    (_, message) => {
      seen.push(als.getStore());
      als.enterWith('mine');
      if (!message.id.startsWith('hung')) return;
      message.signal.addEventListener('abort', () => als.enterWith('abort'));
      return new Promise(() => undefined);
    },
    {
      properties: { timeoutMs: 50, backoffMs: () => 20, maxAttempts: 2 },
      options: { consumer: { concurrency: 2 } },
    },
  );
  als.run('start', () => worker.start());
  await worker.put(ids(2, 'hung'), 0);
  await worker.put(ids(30), 0);
  await expect.poll(() => seen.length).toBe(34);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});
