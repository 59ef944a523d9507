/* A consumer process: does what a message says, and writes down when it began and how it ended. Prints `ready`. */
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DeadLetter, DelayConsumer, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { TOPIC, type Work } from '../support/work.js';
import { journal, options } from './settings.js';

@DelayConsumer(TOPIC)
class Worker {
  async execute({ ms, does }: Work, message: DelayMessage) {
    const { id, attempt, sentAt, dueAt, signal } = message;
    journal.write({ event: 'started', id, attempt, sentAt, dueAt });
    signal.addEventListener('abort', () => {
      const { code } = signal.reason as { code?: unknown };
      journal.write({ event: 'aborted', id, attempt, sentAt, why: String(code) });
    });
    if (ms > 0) await pass(ms);
    if (does === 'die' || (does === 'fail' && message.failures === 0)) {
      journal.write({ event: 'threw', id, attempt, sentAt });
      throw does === 'die' ? new DeadLetter('as told') : new Error('as told');
    }
    journal.write({ event: 'finished', id, attempt, sentAt });
  }
}

@Module({ imports: [DelayQueueModule.forRoot(options)], providers: [Worker] })
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
process.stdout.write('ready\n');
