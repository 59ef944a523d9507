/* A consumer process: does what a message says, and writes down when it began and how it ended. Prints `ready`. */
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DeadLetter, DelayConsumer, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { DEDUPED, TOPIC, type Work } from '../support/work.js';
import { journal, options } from './settings.js';

@DelayConsumer(TOPIC)
class Worker {
  async execute({ ms, does, version }: Work, message: DelayMessage) {
    const { id, topic, attempt, sentAt, dueAt, signal } = message;
    const delivery = { id, version, attempt, sentAt };
    journal.write({ event: 'started', ...delivery, topic, dueAt });
    signal.addEventListener('abort', () => {
      const { code } = signal.reason as { code?: unknown };
      journal.write({ event: 'aborted', ...delivery, why: String(code) });
    });
    if (ms > 0) await pass(ms);
    if (does === 'die' || (does === 'fail' && message.failures === 0)) {
      journal.write({ event: 'threw', ...delivery });
      throw does === 'die' ? new DeadLetter('as told') : new Error('as told');
    }
    journal.write({ event: 'finished', ...delivery });
  }
}

@DelayConsumer(DEDUPED)
class DedupedWorker extends Worker {}

@Module({ imports: [DelayQueueModule.forRoot(options)], providers: [Worker, DedupedWorker] })
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks(['SIGTERM']);
process.stdout.write('ready\n');
