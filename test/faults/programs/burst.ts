/*
 * A producer process that sends what `BURSTS` says, and writes down each call before it is made and each answer.
 * Prints `ready` when all are stored; at SIGUSR2 it makes all of them due at once; ends on SIGTERM.
 */
import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import type { Burst } from '../support/trouble.js';
import { TOPIC } from '../support/work.js';
import { journal, options } from './settings.js';

const bursts = JSON.parse(process.env['BURSTS'] ?? '[]') as Burst[];
const app = await NestFactory.createApplicationContext(
  DelayQueueModule.forRoot({ ...options, role: 'producer' }),
  { logger: ['error', 'warn'] },
);
const delayQueue = app.get(DelayQueueContext);
const ids = (await Promise.all(bursts.map(send))).flat();
process.once('SIGUSR2', () => void Promise.all(ids.map(makeDue)));
const told = once(process, 'SIGTERM');
process.stdout.write('ready\n');
await told;
await app.close();

function send({ name, count, delayMs: [from, to], trouble }: Burst): Promise<string[]> {
  const does = trouble.kind === 'kills' || trouble.kind === 'crashes' ? 'die' : 'return';
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const id = `${name}-${i}`;
      const delayMs = Math.round(from + ((to - from) * i) / count);
      journal.write({ event: 'sending', id, delayMs, does });
      const { outcome } = await delayQueue.send(TOPIC, trouble, delayMs, { id });
      journal.write({ event: 'sent', id, outcome });
      return id;
    }),
  );
}

async function makeDue(id: string): Promise<void> {
  journal.write({ event: 'rescheduling', id, delayMs: 0 });
  const outcome = await delayQueue.reschedule(TOPIC, id, 0);
  journal.write({ event: 'reschedule answered', id, outcome });
}
