/*
 * A producer process that sends `PENDING` messages that are due in hours, and prints `ready`; at each SIGUSR2 it
 * sends `DUE` more, all of which fall due within one second, `LEAD_MS` later; ends on SIGTERM.
 */
import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueModule, type SendItem } from '@delay-queue/nestjs';
import type { Trouble } from '../support/trouble.js';
import { TOPIC } from '../support/work.js';
import { options } from './settings.js';

const PENDING = Number(process.env['PENDING']);
const DUE = Number(process.env['DUE']);
const LEAD_MS = Number(process.env['LEAD_MS']);
const HOUR_MS = 3_600_000;
const CALL = 1_000;
/** About 100 bytes. */
const content: Trouble & { note: string } = { kind: 'works', ms: 0, note: 'x'.repeat(64) };

const app = await NestFactory.createApplicationContext(
  DelayQueueModule.forRoot({ ...options, role: 'producer' }),
  { logger: ['error', 'warn'] },
);
const delayQueue = app.get(DelayQueueContext);
const told = once(process, 'SIGTERM');
let swells = 0;
process.on('SIGUSR2', () => void swell(`due${++swells}`, Date.now() + LEAD_MS));
await send(PENDING, (i) => ({
  content,
  id: `later-${i}`,
  delay: Math.round(HOUR_MS * (1 + 23 * Math.random())),
}));
process.stdout.write('ready\n');
await told;
await app.close();

function swell(name: string, from: number): Promise<void> {
  return send(DUE, (i) => ({
    content,
    id: `${name}-${i}`,
    at: from + Math.floor((i * 1_000) / DUE),
  }));
}

async function send(count: number, item: (i: number) => SendItem): Promise<void> {
  for (let sent = 0; sent < count; sent += CALL) {
    const items = Array.from({ length: Math.min(CALL, count - sent) }, (_, i) => item(sent + i));
    for (const result of await delayQueue.sendMany(TOPIC, items)) {
      if (result.outcome !== 'stored') throw new Error(`a send was ${JSON.stringify(result)}`);
    }
  }
}
