import { Queue, Worker } from 'bullmq';
import { inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Countdown } from './countdown.js';
import { Meter } from './meter.js';
import type { Round, RoundInput, RoundOutput } from './round.js';
import { usedMemory } from './used-memory.js';

const HOUR_MS = 3_600_000;
const NAME = 'bench';
/** Jobs are removed when done, as BullMQ's guide to production advises. */
const JOB = { removeOnComplete: true, removeOnFail: true };

/** `queue.add` with a delay, 1,000 in flight. */
export const bullmqSends: Round = async (input) => {
  const queue = openQueue(input);
  const add = () => queue.add(NAME, CONTENT, { delay: HOUR_MS, ...JOB });
  await inFlight(1_000, input.warmUp, add);
  const meter = await Meter.start(input.redisPort);
  await inFlight(1_000, input.messages, add);
  const output = await meter.stop(input.messages);
  await queue.close();
  return output;
};

/** Delayed jobs whose time has come, run by one worker with an empty async processor, and completed. */
export const bullmqDrain: Round = async (input) => {
  const queue = openQueue(input);
  await drain(queue, input, input.warmUp);
  const output = await drain(queue, input, input.messages);
  await queue.close();
  return output;
};

async function drain(queue: Queue, input: RoundInput, jobs: number): Promise<RoundOutput> {
  for (let added = 0; added < jobs; added += 1_000) {
    const job = { name: NAME, data: CONTENT, opts: { delay: 1, ...JOB } };
    await queue.addBulk(Array.from({ length: Math.min(1_000, jobs - added) }, () => job));
  }
  const countdown = new Countdown(jobs);
  const worker = new Worker(NAME, async () => countdown.hit(), {
    connection: connection(input),
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
  return output;
}

/** Bytes that one delayed job takes in Redis. */
export const bullmqMemory: Round = async (input) => {
  const queue = openQueue(input);
  const add = (index: number) => queue.add(NAME, CONTENT, { delay: HOUR_MS, jobId: idOf(index), ...JOB });
  await add(input.messages);
  const before = await usedMemory(input.redisPort);
  await inFlight(1_000, input.messages, add);
  const bytes = ((await usedMemory(input.redisPort)) - before) / input.messages;
  await queue.close();
  return { bytes };
};

const openQueue = (input: RoundInput): Queue => new Queue(NAME, { connection: connection(input) });

/** `maxRetriesPerRequest: null` is what BullMQ asks of a worker's connection. */
const connection = ({ redisPort }: RoundInput) => ({
  host: '127.0.0.1',
  port: redisPort,
  maxRetriesPerRequest: null,
});
