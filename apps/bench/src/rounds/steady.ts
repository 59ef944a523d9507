import { setTimeout as sleep } from 'node:timers/promises';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { Worker } from 'bullmq';
import { bootApp, TOPIC } from './bench-app.js';
import { bullmqConnection, KEPT_NO_LONGER, openQueue } from './bullmq-queue.js';
import { Countdown } from './countdown.js';
import { inBulks } from './in-flight.js';
import { CONTENT } from './message.js';
import { percentiles } from './percentiles.js';
import type { Round, RoundInput, RoundOutput } from './round.js';

/*
 * A steady stream of messages, produced in one process and handled in another, on top of many that are pending. Both
 * sides get the same number per tick with the same spread of delays; a message is late by what its handler starts
 * after the time it was due, all by this machine's clock.
 */

const TICK_MS = 10;
/** Delays are spread evenly over these. */
const SHORTEST_MS = 200;
const LONGEST_MS = 1_200;
const HOUR_MS = 3_600_000;
/** Those that stay pending are due between an hour and a day and an hour from now. */
const pendingDelay = (): number => HOUR_MS + Math.floor(Math.random() * 24 * HOUR_MS);

/** So many pending that are not due for hours. */
export const delayQueuePending: Round = async (input) => {
  const app = await bootApp(input, { role: 'producer' });
  const delayQueue = app.get(DelayQueueContext);
  await inBulks(input.messages, (size) =>
    delayQueue.sendMany(
      TOPIC,
      Array.from({ length: size }, () => ({ content: CONTENT, delay: pendingDelay() })),
    ),
  );
  await app.close();
  return {};
};

/** So many delayed jobs that are not due for hours. */
export const bullmqPending: Round = async (input) => {
  const queue = openQueue(input, TOPIC);
  await inBulks(input.messages, (size) =>
    queue.addBulk(
      Array.from({ length: size }, () => ({
        name: TOPIC,
        data: CONTENT,
        opts: { delay: pendingDelay(), ...KEPT_NO_LONGER },
      })),
    ),
  );
  await queue.close();
  return {};
};

/** Sends at the rate. */
export const delayQueueSteadyProducer: Round = async (input) => {
  const app = await bootApp(input, { role: 'producer' });
  const delayQueue = app.get(DelayQueueContext);
  await atRate(input, (delayMs) => delayQueue.send(TOPIC, CONTENT, delayMs));
  await app.close();
  return {};
};

/** Adds jobs at the rate. */
export const bullmqSteadyProducer: Round = async (input) => {
  const queue = openQueue(input, TOPIC);
  await atRate(input, (delay) => queue.add(TOPIC, CONTENT, { delay, ...KEPT_NO_LONGER }));
  await queue.close();
  return {};
};

/** Handles what the producer sends; tells how late. */
export const delayQueueSteadyConsumer: Round = async (input) => {
  const late = new Lateness(input.messages);
  const app = await bootApp(input, {}, { handle: ({ dueAt }) => late.add(dueAt) });
  const output = await late.reached();
  await app.close();
  return output;
};

/** Handles the jobs; tells how late. */
export const bullmqSteadyConsumer: Round = async (input) => {
  const late = new Lateness(input.messages);
  const worker = new Worker(TOPIC, async (job) => late.add(job.timestamp + (job.opts.delay ?? 0)), {
    connection: bullmqConnection(input),
    concurrency: input.concurrency ?? 1,
  });
  const output = await late.reached();
  await worker.close();
  return output;
};

class Lateness {
  readonly #ms: number[] = [];
  readonly #countdown: Countdown;

  constructor(messages: number) {
    this.#countdown = new Countdown(messages);
  }

  add(dueAt: number): void {
    this.#ms.push(Date.now() - dueAt);
    this.#countdown.hit();
  }

  async reached(): Promise<RoundOutput> {
    await this.#countdown.reached;
    return percentiles(this.#ms);
  }
}

/** Calls `act` for every message, so many at each tick; resolves when all calls have. */
async function atRate(
  { messages, rate = 1, startAt = 0 }: RoundInput,
  act: (delayMs: number) => Promise<unknown>,
): Promise<void> {
  await sleep(Math.max(0, startAt - Date.now()));
  const began = performance.now();
  const calls: Promise<unknown>[] = [];
  while (calls.length < messages) {
    const owed = Math.min(messages, ((performance.now() - began) * rate) / 1_000);
    while (calls.length < owed) {
      calls.push(act(SHORTEST_MS + Math.floor(Math.random() * (LONGEST_MS - SHORTEST_MS))));
    }
    await sleep(TICK_MS);
  }
  await Promise.all(calls);
}
