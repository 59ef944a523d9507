import 'reflect-metadata';
import { bareDrain, bareFill, bareSends } from './rounds/bare.js';
import {
  bullmqBulkSends,
  bullmqDrain,
  bullmqFill,
  bullmqMemory,
  bullmqSends,
  bullmqSingleSends,
} from './rounds/bullmq.js';
import {
  delayQueueBulkSends,
  delayQueueDrain,
  delayQueueFill,
  delayQueueMemory,
  delayQueueSends,
  delayQueueSingleSends,
} from './rounds/delay-queue.js';
import { delayQueueIdle } from './rounds/idle.js';
import { delayQueueLateness } from './rounds/lateness.js';
import type { Round, RoundInput } from './rounds/round.js';

/** Every round by name. */
const ROUNDS = {
  'delay-queue sends': delayQueueSends,
  'delay-queue single sends': delayQueueSingleSends,
  'delay-queue bulk sends': delayQueueBulkSends,
  'delay-queue fill': delayQueueFill,
  'delay-queue drain': delayQueueDrain,
  'delay-queue memory': delayQueueMemory,
  'delay-queue lateness': delayQueueLateness,
  'delay-queue idle': delayQueueIdle,
  'bullmq sends': bullmqSends,
  'bullmq single sends': bullmqSingleSends,
  'bullmq bulk sends': bullmqBulkSends,
  'bullmq fill': bullmqFill,
  'bullmq drain': bullmqDrain,
  'bullmq memory': bullmqMemory,
  'bare sends': bareSends,
  'bare fill': bareFill,
  'bare drain': bareDrain,
} as const satisfies Record<string, Round>;

/** Name of a round. */
export type RoundName = keyof typeof ROUNDS;

/** What the parent process sends. */
export interface RoundOrder {
  readonly name: RoundName;
  readonly input: RoundInput;
}

process.once('message', (order: RoundOrder) => {
  void ROUNDS[order.name](order.input).then((output) => {
    process.send?.(output);
    process.disconnect();
  });
});
