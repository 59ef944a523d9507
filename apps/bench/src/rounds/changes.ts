import { DelayQueueContext } from '@delay-queue/nestjs';
import type { Job } from 'bullmq';
import { bootApp, TOPIC } from './bench-app.js';
import { KEPT_NO_LONGER, openQueue } from './bullmq-queue.js';
import { inBulks, inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Meter } from './meter.js';
import type { Round, RoundInput, RoundOutput } from './round.js';

const HOUR_MS = 3_600_000;

/** Pending messages are cancelled, 1,000 in flight. */
export const delayQueueCancels: Round = (input) =>
  changing(input, (delayQueue, id) => delayQueue.cancel(TOPIC, id));

/** Pending messages become due an hour later, 1,000 in flight. */
export const delayQueueReschedules: Round = (input) =>
  changing(input, (delayQueue, id) => delayQueue.reschedule(TOPIC, id, '2h'));

/** Delayed jobs are removed, 1,000 in flight. */
export const bullmqCancels: Round = (input) => changingJobs(input, (job) => job.remove());

/** Delayed jobs become due an hour later, 1,000 in flight. */
export const bullmqReschedules: Round = (input) => changingJobs(input, (job) => job.changeDelay(2 * HOUR_MS));

async function changing(
  input: RoundInput,
  change: (delayQueue: DelayQueueContext, id: string) => Promise<string>,
): Promise<RoundOutput> {
  const app = await bootApp(input, { role: 'producer' });
  const delayQueue = app.get(DelayQueueContext);
  const { warmUp, messages } = input;
  let sent = 0;
  await inBulks(warmUp + messages, (size) =>
    delayQueue.sendMany(
      TOPIC,
      Array.from({ length: size }, () => ({ content: CONTENT, delay: '1h' as const, id: idOf(sent++) })),
    ),
  );
  await inFlight(1_000, warmUp, (index) => change(delayQueue, idOf(index)));
  const meter = await Meter.start(input.redisPort);
  await inFlight(1_000, messages, async (index) => {
    const outcome = await change(delayQueue, idOf(warmUp + index));
    if (outcome !== 'cancelled' && outcome !== 'rescheduled') throw new Error(`a change found it ${outcome}`);
  });
  const output = await meter.stop(messages);
  await app.close();
  return output;
}

async function changingJobs(input: RoundInput, change: (job: Job) => Promise<unknown>): Promise<RoundOutput> {
  const queue = openQueue(input, TOPIC);
  const { warmUp, messages } = input;
  const jobs: Job[] = [];
  await inBulks(warmUp + messages, async (size) => {
    const job = { name: TOPIC, data: CONTENT, opts: { delay: HOUR_MS, ...KEPT_NO_LONGER } };
    jobs.push(...(await queue.addBulk(Array<typeof job>(size).fill(job))));
  });
  const next = async (): Promise<void> => {
    const job = jobs.pop();
    if (job !== undefined) await change(job);
  };
  await inFlight(1_000, warmUp, next);
  const meter = await Meter.start(input.redisPort);
  await inFlight(1_000, messages, next);
  const output = await meter.stop(messages);
  await queue.close();
  return output;
}
