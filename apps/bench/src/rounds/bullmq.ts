import { Worker, type Queue } from 'bullmq';
import { bullmqConnection, KEPT_NO_LONGER, openQueue } from './bullmq-queue.js';
import { inBulks, inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Countdown } from './countdown.js';
import { Meter } from './meter.js';
import type { Round, RoundInput, RoundOutput } from './round.js';
import { usedMemory } from './used-memory.js';

const HOUR_MS = 3_600_000;
const NAME = 'bench';
const DELAYED = { delay: HOUR_MS, ...KEPT_NO_LONGER };

/** `queue.add` with a delay, 1,000 in flight. */
export const bullmqSends: Round = (input) =>
  sending(input, (queue, count) => inFlight(1_000, count, () => queue.add(NAME, CONTENT, DELAYED)));

/** `queue.add` with a delay, each awaited before the next. */
export const bullmqSingleSends: Round = (input) =>
  sending(input, (queue, count) => inFlight(1, count, () => queue.add(NAME, CONTENT, DELAYED)));

/** `queue.addBulk` of 1,000, each awaited before the next. */
export const bullmqBulkSends: Round = (input) =>
  sending(input, async (queue, count) => {
    const job = { name: NAME, data: CONTENT, opts: DELAYED };
    await inBulks(count, (size) => queue.addBulk(Array<typeof job>(size).fill(job)));
  });

async function sending(
  input: RoundInput,
  send: (queue: Queue, count: number) => Promise<void>,
): Promise<RoundOutput> {
  const queue = openQueue(input, NAME);
  await send(queue, input.warmUp);
  const meter = await Meter.start(input.redisPort);
  await send(queue, input.messages);
  const output = await meter.stop(input.messages);
  await queue.close();
  return output;
}

/** Fills the queues that the drain finds, with jobs that are delayed by a millisecond and no worker to promote them. */
export const bullmqFill: Round = async (input) => {
  for (const { name, jobs } of queues(input)) {
    const queue = openQueue(input, name);
    const job = { name, data: CONTENT, opts: { delay: 1, ...KEPT_NO_LONGER } };
    await inBulks(jobs, (size) => queue.addBulk(Array<typeof job>(size).fill(job)));
    await queue.close();
  }
  return {};
};

/** Delayed jobs whose time has come, run by one worker with an empty async processor, and completed. */
export const bullmqDrain: Round = async (input) => {
  let output: RoundOutput = {};
  for (const { name, jobs } of queues(input)) output = await drain(input, name, jobs);
  return output;
};

/** The queue to warm up with, and the one that counts. */
const queues = ({ warmUp, messages }: RoundInput) => [
  { name: 'warm-up', jobs: warmUp },
  { name: NAME, jobs: messages },
];

async function drain(input: RoundInput, name: string, jobs: number): Promise<RoundOutput> {
  const countdown = new Countdown(jobs);
  const queue = openQueue(input, name);
  const worker = new Worker(name, async () => countdown.hit(), {
    connection: bullmqConnection(input),
    concurrency: input.concurrency ?? 1,
    autorun: false,
  });
  await worker.waitUntilReady();
  const meter = await Meter.start(input.redisPort);
  const running = worker.run();
  await countdown.reached;
  while (Object.values(await queue.getJobCounts()).some((count) => count > 0)) continue;
  const output = await meter.stop(jobs);
  await worker.close();
  await running;
  await queue.close();
  return output;
}

/** Bytes that one delayed job takes in Redis. */
export const bullmqMemory: Round = async (input) => {
  const queue = openQueue(input, NAME);
  const add = (index: number) =>
    queue.add(NAME, CONTENT, { delay: HOUR_MS, jobId: idOf(index), ...KEPT_NO_LONGER });
  await add(input.messages);
  const before = await usedMemory(input.redisPort);
  await inFlight(1_000, input.messages, add);
  const bytes = ((await usedMemory(input.redisPort)) - before) / input.messages;
  await queue.close();
  return { bytes };
};
