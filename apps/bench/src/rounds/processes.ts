import { setTimeout as sleep } from 'node:timers/promises';
import { DelayQueueContext, DelayQueueInitHandler } from '@delay-queue/nestjs';
import { Worker } from 'bullmq';
import { bootApp, TOPIC } from './bench-app.js';
import { bullmqConnection, openQueue } from './bullmq-queue.js';
import type { Round, RoundInput } from './round.js';

/*
 * One of several processes that drain a backlog together. They begin at one time, and each ends when nothing is left,
 * whoever did it; what counts is the end of the last one.
 */

const LOOK_MS = 10;

/** Ours. */
export const delayQueueShare: Round = async (input) => {
  const { concurrency = 1, queueSize = 1 } = input;
  const app = await bootApp(
    input,
    { namespace: 'bench', consumer: { autoStart: false, concurrency, queueSize } },
    { handle: () => undefined },
  );
  const inspector = app.get(DelayQueueContext).inspect(TOPIC);
  await begin(input);
  await app.get(DelayQueueInitHandler).start();
  const doneAt = await empty(async () => {
    const { waiting, running } = await inspector.counts();
    return waiting + running;
  });
  await app.close();
  return { doneAt };
};

/** BullMQ's. */
export const bullmqShare: Round = async (input) => {
  const queue = openQueue(input, 'bench');
  const worker = new Worker('bench', async () => undefined, {
    connection: bullmqConnection(input),
    concurrency: input.concurrency ?? 1,
    autorun: false,
  });
  await worker.waitUntilReady();
  await begin(input);
  const running = worker.run();
  const doneAt = await empty(async () =>
    Object.values(await queue.getJobCounts()).reduce((sum, count) => sum + count, 0),
  );
  await worker.close();
  await running;
  await queue.close();
  return { doneAt };
};

const begin = ({ startAt = 0 }: RoundInput): Promise<void> => sleep(Math.max(0, startAt - Date.now()));

/** When nothing was left, epoch ms. */
async function empty(left: () => Promise<number>): Promise<number> {
  while ((await left()) > 0) await sleep(LOOK_MS);
  return Date.now();
}
