import type { DelayMessage } from '@delay-queue/core';
import { expect, test } from 'vitest';
import { ids, simulated, Worker } from './support/consuming.js';

test('runs a message when it is due, not before, and once', async () => {
  const runs: { content: unknown; at: number }[] = [];
  const { worker, clock } = simulated((content) => void runs.push({ content, at: clock.now() }));
  const start = clock.now();
  await worker.put('a', 30 * 60_000);

  await clock.advance(30 * 60_000 - 1);
  expect(runs).toEqual([]);
  await clock.advance(1);
  expect(runs).toEqual([{ content: 'a', at: start + 30 * 60_000 }]);
  await clock.advance('1d');
  expect(runs).toHaveLength(1);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('hands the handler the whole message', async () => {
  const messages: DelayMessage[] = [];
  const { worker, clock } = simulated((_, message) => void messages.push(message));
  const sentAt = clock.now();
  await worker.put('a', 5_000, '{"no":1}');
  await clock.advance('10s');
  expect({ ...messages[0] }).toEqual({
    id: 'a',
    topic: 'order:timeout',
    content: { no: 1 },
    dueAt: sentAt + 5_000,
    sentAt,
    attempt: 1,
    failures: 0,
    crashes: 0,
    headers: {},
  });
  expect(messages[0]?.signal.aborted).toBe(false);
});

test('a shorter delay behind a longer one does not wait for it', async () => {
  const runs: unknown[] = [];
  const { worker, clock } = simulated((content) => void runs.push(content));
  await worker.put('hour', 3_600_000);
  await clock.advance('1s');
  await worker.put('three', 3_000);
  await worker.put('soon', 300);
  await clock.advance(300);
  expect(runs).toEqual(['soon']);
  await clock.advance(2_700);
  expect(runs).toEqual(['soon', 'three']);
  await clock.advance('1h');
  expect(runs).toEqual(['soon', 'three', 'hour']);
});

test('messages that were due before the start are run at once, later ones in time', async () => {
  const runs: unknown[] = [];
  const worker = new Worker((content) => void runs.push(content));
  await worker.put('now', 0);
  await worker.put('later', 200);
  worker.start();
  await expect.poll(() => runs).toContain('now');
  await expect.poll(() => runs).toEqual(['now', 'later']);
});

test('ten thousand due in the same second all start within two seconds, none early, each once', async () => {
  const late: number[] = [];
  const seen = new Set<string>();
  let twice = 0;
  const worker = new Worker(async (_, message) => {
    late.push(Date.now() - message.dueAt);
    if (seen.has(message.id)) twice++;
    seen.add(message.id);
  }).start();
  await worker.put(ids(10_000), 500);
  await expect.poll(() => seen.size, { timeout: 5_000 }).toBe(10_000);
  expect(twice).toBe(0);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(-1); // Date.now() and the store's clock differ by rounding
  expect(Math.max(...late)).toBeLessThan(2_000);
  await expect.poll(() => worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('never runs more than concurrency at once, and never holds more than concurrency and queueSize', async () => {
  let running = 0;
  let most = 0;
  let held = 0;
  const worker = new Worker(
    async () => {
      most = Math.max(most, ++running);
      held = Math.max(held, (await worker.counts()).running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
    },
    { options: { consumer: { concurrency: 5, queueSize: 20 } } },
  );
  await worker.put(ids(1_000), 0);
  worker.start();
  await expect.poll(() => worker.counts(), { timeout: 10_000 }).toEqual({ waiting: 0, running: 0, dead: 0 });
  expect(most).toBe(5);
  expect(held).toBeGreaterThan(5);
  // What has ended but is not settled is held by the store for another turn.
  expect(held).toBeLessThanOrEqual(25 + 5);
});
