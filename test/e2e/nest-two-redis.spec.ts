import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule, InjectDelayQueue } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';

const handled: string[] = [];

@DelayConsumer('topic')
class OnFirst {
  execute(content: string) {
    handled.push(`first: ${content}`);
  }
}

@DelayConsumer('topic', { delayQueue: 'second' })
class OnSecond {
  execute(content: string) {
    handled.push(`second: ${content}`);
  }
}

@Injectable()
class Sender {
  constructor(
    readonly first: DelayQueueContext,
    @InjectDelayQueue('second') readonly second: DelayQueueContext,
  ) {}
}

async function keysOf(server: RedisServer): Promise<string[]> {
  const client = new Redis(server.url);
  try {
    return await client.keys('*');
  } finally {
    client.disconnect();
  }
}

it('two instances on two Redis servers do not meet, and one outlives the other server', async () => {
  handled.length = 0;
  const [one, two] = await Promise.all([startRedis(), startRedis()]);
  onTestFinished(async () => {
    await Promise.all([one.stop(), two.stop()]);
  });
  const queue = (server: RedisServer, namespace: string) => ({
    engine: redisEngine({ connection: server.url }),
    namespace,
    producer: { timeout: '1s' as const },
  });
  @Module({
    imports: [
      DelayQueueModule.forRoot(queue(one, 'one')),
      DelayQueueModule.forRoot({ name: 'second', ...queue(two, 'two') }),
    ],
    providers: [OnFirst, OnSecond, Sender],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const { first, second } = app.get(Sender);

  await first.send('topic', 'a', 100);
  await second.send('topic', 'b', 100);
  await first.send('topic', 'pending', '1h');
  await second.send('topic', 'pending', '1h');
  await expect.poll(() => handled.toSorted()).toEqual(['first: a', 'second: b']);
  expect((await keysOf(one)).filter((key) => key.includes('two'))).toEqual([]);
  expect((await keysOf(two)).filter((key) => key.includes('one'))).toEqual([]);
  expect((await keysOf(one)).length).toBeGreaterThan(0);
  expect((await keysOf(two)).length).toBeGreaterThan(0);

  two.signal('SIGKILL');
  await expect(second.send('topic', 'lost', 0)).rejects.toHaveProperty('code');
  await first.send('topic', 'alone', 0);
  await expect.poll(() => handled).toContain('first: alone');
});
