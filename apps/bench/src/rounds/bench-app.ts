import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  DelayConsumer,
  DelayQueueModule,
  type DelayMessage,
  type DelayQueueOptions,
} from '@delay-queue/nestjs';
import type { DelayEngine, EngineFactory } from '@delay-queue/core';
import { redisEngine } from '@delay-queue/redis';
import type { RoundInput } from './round.js';

/** Topic of all messages. */
export const TOPIC = 'bench';

/** What the consumer does; it runs through the Nest module like any user's. */
export abstract class Handler {
  abstract handle(message: DelayMessage<string>): void;
}

@DelayConsumer(TOPIC)
class BenchConsumer {
  constructor(private readonly handler: Handler) {}

  async execute(_content: string, message: DelayMessage<string>): Promise<void> {
    this.handler.handle(message);
  }
}

/** Boots a Nest application around the delay queue; without a handler it only sends. `wrap` may listen to the engine. */
export async function bootApp(
  { redisPort }: RoundInput,
  options: Omit<DelayQueueOptions, 'engine'>,
  handler?: Handler,
  wrap: (engine: DelayEngine) => DelayEngine = (engine) => engine,
): Promise<INestApplicationContext> {
  const make = redisEngine({ connection: `redis://127.0.0.1:${redisPort}` });
  const engine: EngineFactory = (context) => wrap(make(context));
  const providers = handler === undefined ? [] : [BenchConsumer, { provide: Handler, useValue: handler }];

  @Module({ imports: [DelayQueueModule.forRoot({ engine, ...options })], providers })
  class BenchModule {}

  // Errors only: the queue rightly warns that this Redis keeps nothing.
  return NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
}
