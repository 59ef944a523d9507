/*
 * A consumer process whose messages get it into trouble, unless it is `STEADY`: then they find it as the next
 * delivery would. Writes down when each began and how it ended. Prints `ready`.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DeadLetter,
  DelayConsumer,
  DelayQueueModule,
  RetryLater,
  type DelayMessage,
} from '@delay-queue/nestjs';
import type { LateEnd, Trouble } from '../support/trouble.js';
import { TOPIC } from '../support/work.js';
import { journal, options } from './settings.js';

const STEADY = process.env['STEADY'] !== undefined;
/** How long a handler goes on after it has blocked its process. */
const LATER_MS = 100;

@DelayConsumer(TOPIC)
class Worker {
  async execute(trouble: Trouble, { id, topic, attempt, sentAt, dueAt, signal }: DelayMessage) {
    const delivery = { id, attempt, sentAt };
    journal.write({ event: 'started', ...delivery, topic, dueAt });
    signal.addEventListener('abort', () => {
      const { code } = signal.reason as { code?: unknown };
      journal.write({ event: 'aborted', ...delivery, why: String(code) });
    });
    const first = attempt === 1 && !STEADY;
    const end = await undergo(trouble, first);
    if (end === 'returns') return journal.write({ event: 'finished', ...delivery });
    journal.write({ event: 'threw', ...delivery });
    if (end === 'gives up') throw new DeadLetter('as told');
    throw end === 'throws' ? new Error('as told') : new RetryLater(0);
  }
}

/** How the handler is to end afterwards. */
async function undergo(trouble: Trouble, first: boolean): Promise<LateEnd> {
  switch (trouble.kind) {
    case 'works':
      if (trouble.ms > 0) await pass(trouble.ms);
      break;
    case 'hangs':
      if (first) await new Promise(() => undefined);
      break;
    case 'blocks':
      if (!first) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, trouble.ms);
      if (trouble.later) await pass(LATER_MS);
      return trouble.end;
    case 'kills':
    case 'crashes':
      // For the books an end of either kind is a kill.
      journal.write({ event: 'signalled', target: journal.name, pid: process.pid, signal: 'SIGKILL' });
      if (trouble.kind === 'kills') process.kill(process.pid, 'SIGKILL');
      setImmediate(() => {
        throw new Error('nobody catches this');
      });
      await new Promise(() => undefined);
  }
  return 'returns';
}

@Module({
  imports: [DelayQueueModule.forRoot({ ...options, retry: { attempts: 5, backoff: 200 } })],
  providers: [Worker],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks(['SIGTERM']);
process.stdout.write('ready\n');
