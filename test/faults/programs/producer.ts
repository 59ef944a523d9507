/*
 * A producer process: sends messages, cancels some, and writes down each call before it is made and each answer.
 * Prints `ready`; on SIGTERM it makes no more calls, waits for the answers of all and ends.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueError, DelayQueueModule } from '@delay-queue/nestjs';
import { random, type Random } from '../support/random.js';
import { TOPIC, type Does } from '../support/work.js';
import { journal, options } from './settings.js';

/** Time between two bursts of sends. */
const PAUSE_MS = 50;
/** Of the messages, this many are cancelled at some moment before they are due, or a little later. */
const CANCELLED = 0.15;

const { PER_BURST = '8', SEED = '0', SLOW_MS = '300' } = process.env;
const dice = random(Number(SEED));
const app = await NestFactory.createApplicationContext(
  DelayQueueModule.forRoot({ ...options, role: 'producer' }),
  { logger: ['error', 'warn'] },
);
const delayQueue = app.get(DelayQueueContext);
const open = new Set<Promise<void>>();
let sends = 0;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.stdout.write('ready\n');

while (!stop.signal.aborted) {
  for (let sent = 0; sent < Number(PER_BURST); sent++) follow(deal(`${journal.name}-${++sends}`));
  await pass(PAUSE_MS);
}
await Promise.all(open);
await app.close();

function follow(life: Promise<void>): void {
  open.add(life);
  void life.finally(() => open.delete(life));
}

/** The life of one message, on the producing side. */
async function deal(id: string): Promise<void> {
  const delayMs = dice.chance(0.3) ? 0 : dice.between(0, 3000);
  const ms = dice.chance(0.02) ? Number(SLOW_MS) : dice.between(0, 40);
  const does = deed(dice);
  const cancelAfterMs = dice.chance(CANCELLED) ? dice.between(0, delayMs + 50) : undefined;
  journal.write({ event: 'sending', id, delayMs, does });
  try {
    const { outcome } = await delayQueue.send(TOPIC, { ms, does }, delayMs, { id });
    journal.write({ event: 'sent', id, outcome });
  } catch (error) {
    const { code, mayBeStored } = known(error);
    journal.write({ event: 'send failed', id, code, mayBeStored });
    return;
  }
  if (cancelAfterMs === undefined) return;
  await pass(cancelAfterMs);
  journal.write({ event: 'cancelling', id });
  try {
    const outcome = await delayQueue.cancel(TOPIC, id);
    journal.write({ event: 'cancel answered', id, outcome });
  } catch (error) {
    journal.write({ event: 'cancel failed', id, code: known(error).code });
  }
}

function deed(by: Random): Does {
  if (by.chance(0.01)) return 'die';
  return by.chance(0.02) ? 'fail' : 'return';
}

/** Everything the queue throws is its own error; anything else ends this process, and with it the test. */
function known(error: unknown): DelayQueueError {
  if (error instanceof DelayQueueError) return error;
  throw error;
}
