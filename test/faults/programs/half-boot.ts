/*
 * An application that never quite boots, in one of the ways of `Scene`: it is survived, and closed where there is
 * something to close. Says how it went and what is left; nothing else ends the process.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { Injectable, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import type { Scene } from '../support/deeds.js';
import { TOPIC } from '../support/work.js';
import { active, say } from '../support/saying.js';

const { REDIS_URL = '' } = process.env;
const scene = process.env['SCENE'] as Scene;

@DelayConsumer(TOPIC)
class Consumer {
  execute() {}
}

let begin: (() => void) | undefined;
/** The delay queues are about to be opened. */
const ready = new Promise<void>((resolve) => (begin = resolve));

@Injectable()
class Another implements OnModuleInit, OnApplicationBootstrap {
  onModuleInit() {
    if (scene === 'another part fails') throw new Error('no database');
  }

  /** The delay queues come after everybody else. */
  onApplicationBootstrap() {
    begin?.();
  }
}

@Module({
  imports: [
    DelayQueueModule.forRoot({
      engine: redisEngine({ connection: REDIS_URL, strict: scene === 'strict' }),
    }),
    // Boots whatever becomes of the other one, and must be closed with it.
    DelayQueueModule.forRoot({ name: 'second', engine: redisEngine({ connection: REDIS_URL }) }),
  ],
  providers: [Consumer, Another],
})
class App {}

try {
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  const booting = app.init();
  if (scene === 'closed while it boots') {
    await ready;
    await pass(100);
  }
  if (scene.startsWith('closed while')) await Promise.all([booting, app.close(), app.close()]);
  else await booting;
  if (scene === 'closed at once') await Promise.all([app.close(), app.close()]);
  say({ event: 'ready' });
} catch (error) {
  say({ event: 'failed', message: String(error) });
}
say({ event: 'closed', code: 'none', active: await active() });
