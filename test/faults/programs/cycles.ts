/*
 * Makes, uses and closes a hundred applications, one after the other, on a client that was handed in: some are
 * closed right after they were made, some twice at once. Says what is left after some of them and after all.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { TOPIC } from '../support/work.js';
import { active, say } from '../support/saying.js';

const { REDIS_URL = '' } = process.env;
const CYCLES = 100;
/** By then everything that is made once has been made. */
const WARM = 20;
const PER_CYCLE = 20;

const count = { handled: 0 };
@DelayConsumer(TOPIC)
class Consumer {
  execute() {
    count.handled++;
  }
}

const shared = new Redis(REDIS_URL);

@Module({
  imports: [DelayQueueModule.forRoot({ engine: redisEngine({ connection: shared }) })],
  providers: [Consumer],
})
class App {}

await shared.ping();
for (let number = 1; number <= CYCLES; number++) {
  await cycle(number);
  if (number === WARM || number === CYCLES) say(await left(number));
}
shared.disconnect();
await new Promise((resolve) => shared.once('end', resolve));
say({ event: 'closed', code: 'none', active: await active() });

async function cycle(number: number): Promise<void> {
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  app.enableShutdownHooks();
  if (number % 10 !== 0) {
    const all = count.handled + PER_CYCLE;
    const items = Array.from({ length: PER_CYCLE }, () => ({ content: '', delay: 0 }));
    await app.get(DelayQueueContext).sendMany(TOPIC, items);
    while (count.handled < all) await pass(1);
  }
  await Promise.all(number % 3 === 0 ? [app.close(), app.close()] : [app.close()]);
  if (number % 5 === 0) await app.close();
}

/** Everything that could grow from one application to the next. */
async function left(cycles: number) {
  // A server hears of a connection's end a little later than the client.
  const patientUntil = performance.now() + 10_000;
  while ((await connections()) > 2 && performance.now() < patientUntil) await pass(5);
  for (let turns = 0; turns < 3; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  const listeners = [process, shared].map((each) =>
    each.eventNames().map((name) => `${String(name)} ${each.listenerCount(name)}`),
  );
  const { handled } = count;
  const counts = { cycles, handled, listeners, connections: await connections() };
  return { event: 'left', ...counts, heapBytes: process.memoryUsage().heapUsed } as const;
}

/** This process's own, and the one of the test. */
async function connections(): Promise<number> {
  return String(await shared.client('LIST'))
    .trim()
    .split('\n').length;
}
