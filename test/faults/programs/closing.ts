/*
 * A consumer process that is told to stop while its handlers are at work: by SIGTERM, which Nest's shutdown hooks
 * take, or by SIGUSR2, on which it calls `app.close()` itself. A last send is still on its way then. Nothing else
 * ends it. Prints one JSON object per event, in the order in which they happened.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DeadLetter,
  DelayConsumer,
  DelayQueueContext,
  DelayQueueError,
  DelayQueueModule,
  RetryLater,
  type DelayMessage,
} from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { FOLLOW_UPS, type Deed } from '../support/deeds.js';
import { TOPIC } from '../support/work.js';
import { active, say } from '../support/saying.js';
import { waitedMs } from '../support/waited.js';

const { REDIS_URL = '', NAMESPACE = '', DRAIN_MS = '', LEASE = '', DEED = '' } = process.env;
const drainMs = Number(DRAIN_MS);

@DelayConsumer(TOPIC)
class Worker {
  constructor(private readonly delayQueue: DelayQueueContext) {}

  async execute(_: unknown, message: DelayMessage) {
    const { id, attempt, signal } = message;
    say({ event: 'started', id, attempt });
    signal.addEventListener('abort', () => {
      say({ event: 'aborted', id, why: String((signal.reason as { code?: unknown }).code) });
    });
    await deeds[DEED as Deed](message, this.delayQueue);
    say({ event: 'finished', id });
  }
}

const deeds: Record<Deed, (message: DelayMessage, delayQueue: DelayQueueContext) => Promise<unknown>> = {
  hanging: () => new Promise(() => undefined),
  'too slow': ({ signal }) => pass(drainMs * 3, undefined, { signal }),
  slow: async ({ id }, delayQueue) => {
    await pass(drainMs / 3);
    const { outcome } = await delayQueue.send(FOLLOW_UPS, '', '1h', { id: `after-${id}` });
    say({ event: 'sent', id: `after-${id}`, outcome });
  },
  quick: () => pass(10),
  throwing: async () => {
    await pass(20);
    throw new Error('as told');
  },
  putting: async ({ id }) => {
    await pass(20);
    throw id.endsWith('0') ? new DeadLetter('as told') : new RetryLater('1h');
  },
};

@Module({
  imports: [
    DelayQueueModule.forRoot({
      engine: redisEngine({ connection: REDIS_URL }),
      namespace: NAMESPACE,
      consumer: { lease: LEASE, drain: drainMs, concurrency: 8 },
      retry: { attempts: 5, crashes: 1000, backoff: '1h' },
    }),
  ],
  providers: [Worker],
})
class App {}

process.on('exit', stopped);

const app = await NestFactory.createApplicationContext(App, { logger: false });
const delayQueue = app.get(DelayQueueContext);
process.once('SIGUSR2', () => void close());
process.once('SIGTERM', () => {
  stopping();
  // Nest is done, and means to end the process by the same signal, whatever is left in it.
  const hold = setInterval(() => undefined, 1000);
  process.once('SIGTERM', () => {
    clearInterval(hold);
    stopped();
    process.kill(process.pid, 'SIGTERM');
  });
});
app.enableShutdownHooks(['SIGTERM']);
say({ event: 'ready' });

async function close(): Promise<void> {
  stopping();
  await app.close();
  const code = await delayQueue.send(TOPIC, '', 0).then(() => 'none', codeOf);
  say({ event: 'closed', code, active: await active() });
}

function stopping(): void {
  say({ event: 'stopping', waitedMs: waitedMs() });
  void delayQueue
    .send(FOLLOW_UPS, '', '1h', { id: 'last' })
    .then(({ outcome }) => outcome, codeOf)
    .then((outcome) => say({ event: 'sent', id: 'last', outcome }));
}

function stopped(): void {
  say({ event: 'stopped', waitedMs: waitedMs() });
}

function codeOf(error: unknown): string {
  return error instanceof DelayQueueError ? error.code : String(error);
}
