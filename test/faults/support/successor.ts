import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { onTestFinished } from 'vitest';
import { TOPIC } from './work.js';

/** Where an application of the test's own is connected, and for how long it claims. */
export interface Place {
  readonly url: string;
  readonly namespace: string;
  readonly lease: string;
}

/** Sends so many messages, due at once, with the ids `m0`, `m1` and so on. */
export async function sendAll(place: Place, count: number): Promise<void> {
  const app = await application(place, []);
  const items = Array.from({ length: count }, (_, i) => ({ content: '', delay: 0, id: `m${i}` }));
  const results = await app.get(DelayQueueContext).sendMany(TOPIC, items);
  const failed = results.find(({ outcome }) => outcome !== 'stored');
  await app.close();
  if (failed !== undefined) throw new Error(`${failed.id} was not stored`);
}

/** Takes over what others left, in the test's own process: what it ran, each with its attempt. */
export async function succeed(place: Place): Promise<ReadonlyMap<string, number>> {
  const ran = new Map<string, number>();
  @DelayConsumer(TOPIC, { concurrency: 64 })
  class Successor {
    execute(_: unknown, { id, attempt }: DelayMessage) {
      ran.set(id, attempt);
    }
  }
  await application(place, [Successor]);
  return ran;
}

async function application({ url, namespace, lease }: Place, providers: Type[]) {
  const engine = redisEngine({ connection: url });
  const queue = DelayQueueModule.forRoot({
    engine,
    namespace,
    consumer: { lease },
    retry: { crashes: 1000 },
  });
  @Module({ imports: [queue], providers })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  return app;
}
