/*
 * A consumer process. Prints `ready`, `started <id> <attempt>` and `finished <id>`. The content says what the
 * handler does: `hang` never returns, a number waits for so many milliseconds and sends a follow-up.
 */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';

const { REDIS_URL = '', NAMESPACE = '', LEASE = '2s', DRAIN = '10s' } = process.env;
const say = (text: string) => process.stdout.write(`${text}\n`);

@DelayConsumer('work')
class Worker {
  constructor(private readonly delayQueue: DelayQueueContext) {}

  async execute(content: number | 'hang', message: DelayMessage) {
    say(`started ${message.id} ${message.attempt}`);
    if (content === 'hang') await new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, Number(content)));
    const { outcome } = await this.delayQueue.send('follow-up', message.id, '1h', { id: message.id });
    say(`finished ${message.id} ${outcome}`);
  }
}

@Module({
  imports: [
    DelayQueueModule.forRoot({
      engine: redisEngine({ connection: REDIS_URL }),
      namespace: NAMESPACE,
      consumer: { lease: LEASE, drain: DRAIN },
    }),
  ],
  providers: [Worker],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
app.enableShutdownHooks();
say('ready');
