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
import {
  bullmqCancels,
  bullmqReschedules,
  delayQueueCancels,
  delayQueueReschedules,
} from './rounds/changes.js';
import { delayQueueFleet } from './rounds/fleet.js';
import { delayQueueFlood } from './rounds/flood.js';
import { delayQueueGrowth } from './rounds/growth.js';
import { delayQueueIdle } from './rounds/idle.js';
import { delayQueueLateness } from './rounds/lateness.js';
import { bullmqShare, delayQueueShare } from './rounds/processes.js';
import type { Round, RoundInput } from './rounds/round.js';
import { delayQueueStartUp } from './rounds/start-up.js';
import {
  bullmqPending,
  bullmqSteadyConsumer,
  bullmqSteadyProducer,
  delayQueuePending,
  delayQueueSteadyConsumer,
  delayQueueSteadyProducer,
} from './rounds/steady.js';
import { heapTimers, nodeTimers, nodeTimersOfOneDelay, wheelTimers } from './rounds/timers.js';

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
  'delay-queue cancels': delayQueueCancels,
  'delay-queue reschedules': delayQueueReschedules,
  'delay-queue share': delayQueueShare,
  'delay-queue pending': delayQueuePending,
  'delay-queue steady producer': delayQueueSteadyProducer,
  'delay-queue steady consumer': delayQueueSteadyConsumer,
  'delay-queue growth': delayQueueGrowth,
  'delay-queue fleet': delayQueueFleet,
  'delay-queue flood': delayQueueFlood,
  'delay-queue start-up': delayQueueStartUp,
  'bullmq sends': bullmqSends,
  'bullmq single sends': bullmqSingleSends,
  'bullmq bulk sends': bullmqBulkSends,
  'bullmq fill': bullmqFill,
  'bullmq drain': bullmqDrain,
  'bullmq memory': bullmqMemory,
  'bullmq cancels': bullmqCancels,
  'bullmq reschedules': bullmqReschedules,
  'bullmq share': bullmqShare,
  'bullmq pending': bullmqPending,
  'bullmq steady producer': bullmqSteadyProducer,
  'bullmq steady consumer': bullmqSteadyConsumer,
  'timing wheel': wheelTimers,
  tinyqueue: heapTimers,
  setTimeout: nodeTimers,
  'setTimeout, one delay': nodeTimersOfOneDelay,
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
