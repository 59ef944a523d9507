/*
 * A producer process: sends messages, cancels, moves and replaces some, and writes down each call before it is made
 * and each answer.
 * Prints `ready`; on SIGTERM it makes no more calls, waits for the answers of all and ends.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueError, DelayQueueModule } from '@delay-queue/nestjs';
import { random, type Random } from '../support/random.js';
import { DEDUPED, TOPIC, type Does, type Work } from '../support/work.js';
import { journal, options } from './settings.js';

/** Time between two bursts of sends. */
const PAUSE_MS = 50;
/** Of the ids, so many get further calls: a cancel, a new due time, a new message in place of the old one. */
const GOES_ON = 0.35;

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

/** The life of one id on the producing side: one call after the other, until one fails. */
async function deal(id: string): Promise<void> {
  const topic = dice.chance(0.3) ? DEDUPED : TOPIC;
  let version = 0;
  let delayMs = await send(topic, id, ++version, 'keep');
  while (delayMs !== undefined && !stop.signal.aborted && dice.chance(GOES_ON)) {
    await pass(dice.between(0, delayMs + 50));
    const next = dice.pick(['cancel', 'cancel', 'reschedule', 'replace', 'keep'] as const);
    if (next === 'cancel') delayMs = await cancel(topic, id);
    else if (next === 'reschedule') delayMs = await reschedule(topic, id);
    else delayMs = await send(topic, id, ++version, next);
  }
}

/** Each returns how long the message may wait; `undefined`: the call failed. */
async function send(topic: string, id: string, version: number, onDuplicate: 'keep' | 'replace') {
  const delayMs = delay();
  const ms = dice.chance(0.02) ? Number(SLOW_MS) : dice.between(0, 40);
  const does = deed(dice);
  journal.write({ event: 'sending', id, version, delayMs, does });
  try {
    const work: Work = { ms, does, version };
    const { outcome } = await delayQueue.send(topic, work, delayMs, { id, onDuplicate });
    journal.write({ event: 'sent', id, version, outcome });
    return delayMs;
  } catch (error) {
    journal.write({ event: 'send failed', id, version, ...known(error) });
    return undefined;
  }
}

async function cancel(topic: string, id: string) {
  journal.write({ event: 'cancelling', id });
  try {
    journal.write({ event: 'cancel answered', id, outcome: await delayQueue.cancel(topic, id) });
    return 0;
  } catch (error) {
    journal.write({ event: 'cancel failed', id, ...known(error) });
    return undefined;
  }
}

async function reschedule(topic: string, id: string) {
  const delayMs = delay();
  journal.write({ event: 'rescheduling', id, delayMs });
  try {
    const outcome = await delayQueue.reschedule(topic, id, delayMs);
    journal.write({ event: 'reschedule answered', id, outcome });
    return delayMs;
  } catch (error) {
    journal.write({ event: 'reschedule failed', id, ...known(error) });
    return undefined;
  }
}

function delay(): number {
  return dice.chance(0.3) ? 0 : dice.between(0, 3000);
}

function deed(by: Random): Does {
  if (by.chance(0.01)) return 'die';
  return by.chance(0.02) ? 'fail' : 'return';
}

/** Everything the queue throws is its own error; anything else ends this process, and with it the test. */
function known(error: unknown): { code: string; mayBeStored: boolean } {
  if (!(error instanceof DelayQueueError)) throw error;
  return { code: error.code, mayBeStored: error.mayBeStored };
}
