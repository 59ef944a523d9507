/* Sends one message, closes, and says what still keeps the process alive. Nothing else ends it. */
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import { memoryEngine } from '@delay-queue/memory';
import { redisEngine } from '@delay-queue/redis';

const { REDIS_URL, NAMESPACE = 'sender', ROLE = 'both' } = process.env;
const say = (text: string) => process.stdout.write(`${text}\n`);
/** After two turns, in which Node closes the files it read; without the pipes of this program's own output. */
const active = async () => {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
};

@DelayConsumer('sent')
class Consumer {
  execute() {
    say('handled');
  }
}

@Module({
  imports: [
    DelayQueueModule.forRoot({
      engine: REDIS_URL === undefined ? memoryEngine() : redisEngine({ connection: REDIS_URL }),
      namespace: NAMESPACE,
      role: ROLE as 'producer' | 'both',
    }),
  ],
  providers: ROLE === 'producer' ? [Consumer] : [],
})
class App {}

const app = await NestFactory.createApplicationContext(App, { logger: ['error', 'warn'] });
const { outcome } = await app.get(DelayQueueContext).send('sent', 'content', 0);
say(`sent ${outcome}`);
await app.close();
say(`closed, active: ${JSON.stringify(await active())}`);
