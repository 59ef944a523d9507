import { DelayQueueContext, DelayQueueInitHandler, type ConsumerPoolOptions } from '@delay-queue/nestjs';
import { bootApp, TOPIC } from './bench-app.js';
import { Countdown } from './countdown.js';
import { inBulks, inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Meter } from './meter.js';
import type { Round, RoundInput, RoundOutput } from './round.js';
import { usedMemory } from './used-memory.js';

/** `send`, 1,000 in flight. */
export const delayQueueSends: Round = (input) =>
  sending(input, (delayQueue, count) => inFlight(1_000, count, () => delayQueue.send(TOPIC, CONTENT, '1h')));

/** `send`, each awaited before the next. */
export const delayQueueSingleSends: Round = (input) =>
  sending(input, (delayQueue, count) => inFlight(1, count, () => delayQueue.send(TOPIC, CONTENT, '1h')));

/** `sendMany` of 1,000, each awaited before the next. */
export const delayQueueBulkSends: Round = (input) =>
  sending(input, async (delayQueue, count) => {
    const item = { content: CONTENT, delay: '1h' } as const;
    await inBulks(count, (size) => delayQueue.sendMany(TOPIC, Array<typeof item>(size).fill(item)));
  });

async function sending(
  input: RoundInput,
  send: (delayQueue: DelayQueueContext, count: number) => Promise<void>,
): Promise<RoundOutput> {
  const app = await bootApp(input, { role: 'producer' });
  const delayQueue = app.get(DelayQueueContext);
  await send(delayQueue, input.warmUp);
  const meter = await Meter.start(input.redisPort);
  await send(delayQueue, input.messages);
  const output = await meter.stop(input.messages);
  await app.close();
  return output;
}

/** Fills the queues that the drain finds, with messages that are due after a millisecond and no consumer yet. */
export const delayQueueFill: Round = async (input) => {
  for (const { namespace, messages } of queues(input)) {
    const app = await bootApp(input, { namespace, role: 'producer' });
    const delayQueue = app.get(DelayQueueContext);
    await inFlight(5_000, messages, () => delayQueue.send(TOPIC, CONTENT, 1));
    await app.close();
  }
  return {};
};

/** Overdue messages claimed, run by an empty async handler through the Nest module, and settled. */
export const delayQueueDrain: Round = async (input) => {
  let output: RoundOutput = {};
  for (const { namespace, messages } of queues(input)) output = await drain(input, namespace, messages);
  return output;
};

/** The queue to warm up with, and the one that counts. */
const queues = ({ warmUp, messages }: RoundInput) => [
  { namespace: 'warm-up', messages: warmUp },
  { namespace: 'bench', messages },
];

async function drain(input: RoundInput, namespace: string, messages: number): Promise<RoundOutput> {
  const countdown = new Countdown(messages);
  const { concurrency, queueSize } = input;
  const consumer: ConsumerPoolOptions = { autoStart: false };
  if (concurrency !== undefined) consumer.concurrency = concurrency;
  if (queueSize !== undefined) consumer.queueSize = queueSize;
  const app = await bootApp(input, { namespace, consumer }, { handle: () => countdown.hit() });
  const inspector = app.get(DelayQueueContext).inspect(TOPIC);
  const meter = await Meter.start(input.redisPort);
  await app.get(DelayQueueInitHandler).start();
  await countdown.reached;
  for (let open = messages; open > 0;) {
    const { waiting, running } = await inspector.counts();
    open = waiting + running;
  }
  const output = await meter.stop(messages);
  await app.close();
  return output;
}

/** Bytes that one pending message takes in Redis. */
export const delayQueueMemory: Round = async (input) => {
  const app = await bootApp(input, { role: 'producer' });
  const delayQueue = app.get(DelayQueueContext);
  const send = (index: number) => delayQueue.send(TOPIC, CONTENT, '1h', { id: idOf(index) });
  await send(input.messages);
  const before = await usedMemory(input.redisPort);
  await inFlight(1_000, input.messages, send);
  const bytes = ((await usedMemory(input.redisPort)) - before) / input.messages;
  await app.close();
  return { bytes };
};
