import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../support/redis-server.js';

let handled = 0;

@DelayConsumer('topic')
class Consumer {
  execute() {
    handled += 1;
  }
}

/** Every listener on the process, by event. */
const listeners = () =>
  Object.fromEntries(process.eventNames().map((event) => [String(event), process.listenerCount(event)]));

it('a hundred applications, one after the other, leave no connection, listener or warning behind', async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  const connections = async () =>
    String(await client.client('LIST'))
      .trim()
      .split('\n').length;
  const warnings: Error[] = [];
  const remember = (warning: Error) => void warnings.push(warning);
  process.on('warning', remember);
  onTestFinished(() => void process.off('warning', remember));

  const cycle = async () => {
    @Module({
      imports: [DelayQueueModule.forRoot({ engine: redisEngine({ connection: server.url }) })],
      providers: [Consumer],
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    app.enableShutdownHooks();
    const before = handled;
    await app.get(DelayQueueContext).send('topic', 'content', 0);
    await expect.poll(() => handled, { interval: 2 }).toBe(before + 1);
    await app.close();
  };

  await cycle();
  await expect.poll(connections).toBe(1);
  const listening = listeners();
  for (let cycles = 1; cycles < 100; cycles++) await cycle();
  await expect.poll(connections).toBe(1);
  expect(listeners()).toEqual(listening);
  expect(handled).toBe(100);
  expect(warnings).toEqual([]);
});
