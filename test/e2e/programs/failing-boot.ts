/* Boots an application of which another part fails, survives it, and says what keeps the process alive. */
import { Injectable, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';

const { REDIS_URL = '', NAMESPACE = '', FAIL_IN = '' } = process.env;
const say = (text: string) => process.stdout.write(`${text}\n`);
/** After two turns, in which Node closes the files it read; without the pipes of this program's own output. */
const active = async () => {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
};

@DelayConsumer('topic')
class Consumer {
  execute() {}
}

@DelayConsumer('topic')
class SameTopic {
  execute() {}
}

@Injectable()
class Failing implements OnModuleInit, OnApplicationBootstrap {
  onModuleInit() {
    if (FAIL_IN === 'onModuleInit') throw new Error('no database');
  }
  onApplicationBootstrap() {
    if (FAIL_IN === 'onApplicationBootstrap') throw new Error('no database');
  }
}

@Module({
  imports: [
    DelayQueueModule.forRoot({ engine: redisEngine({ connection: REDIS_URL }), namespace: NAMESPACE }),
  ],
  providers: [Consumer, Failing, ...(FAIL_IN === 'consumers' ? [SameTopic] : [])],
})
class App {}

try {
  await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  say('booted');
} catch (error) {
  say(`failed: ${error instanceof Error ? error.message : String(error)}`);
}
say(`active: ${JSON.stringify(await active())}`);
