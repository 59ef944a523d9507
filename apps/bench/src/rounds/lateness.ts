import { setTimeout as sleep } from 'node:timers/promises';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { bootApp, TOPIC } from './bench-app.js';
import { Countdown } from './countdown.js';
import { CONTENT } from './message.js';
import { percentiles } from './percentiles.js';
import type { Round } from './round.js';

const SPREAD_MS = 5_000;
/** Time for the sends to be over before the first message is due. */
const LEAD_MS = 1_000;

/**
 * How long after its due time each message's handler starts, on an otherwise idle system. Consumer and Redis share
 * this machine's clock. The safety look comes once in an hour, so it cannot help.
 */
export const delayQueueLateness: Round = async (input) => {
  const countdown = new Countdown(input.messages);
  const lateMs: number[] = [];
  const app = await bootApp(
    input,
    { consumer: { lease: '1h', safetyLook: '1h' } },
    {
      handle(message) {
        lateMs.push(Date.now() - message.dueAt);
        countdown.hit();
      },
    },
  );
  const delayQueue = app.get(DelayQueueContext);
  await sleep(LEAD_MS / 2);
  const firstAt = Date.now() + LEAD_MS;
  const items = Array.from({ length: input.messages }, (_, index) => ({
    content: CONTENT,
    at: firstAt + Math.round((index * SPREAD_MS) / input.messages),
  }));
  await delayQueue.sendMany(TOPIC, items);
  await countdown.reached;
  await app.close();
  return percentiles(lateMs);
};
