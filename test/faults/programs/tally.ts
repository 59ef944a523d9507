/*
 * A consumer process for more messages than a journal should hold: counts how often it was handed each id that ends
 * in a number below `COUNT`. Prints `ready`; at its end it writes the counts down, with the most heap it had in use.
 */
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { TOPIC } from '../support/work.js';
import { journal, options } from './settings.js';

/** One of so many takes a while, so that others wait for a slot. */
const SLOW_ONE_IN = 100;
const SLOW_MS = 5;
const WATCH_MS = 100;

const counts = new Uint8Array(Number(process.env['COUNT']));
let mostHeap = 0;

@DelayConsumer(TOPIC)
class Tally {
  async execute(_content: unknown, { id }: DelayMessage) {
    const number = Number(id.slice(id.lastIndexOf('-') + 1));
    counts[number] = (counts[number] ?? 0) + 1;
    if (number % SLOW_ONE_IN === 0) await pass(SLOW_MS);
  }
}

@Module({ imports: [DelayQueueModule.forRoot(options)], providers: [Tally] })
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
const watch = setInterval(() => (mostHeap = Math.max(mostHeap, process.memoryUsage().heapUsed)), WATCH_MS);
process.stdout.write('ready\n');
await once(process, 'SIGTERM');
await app.close();
clearInterval(watch);
journal.write({ event: 'tallied', counts: Buffer.from(counts).toString('base64'), mostHeap });
