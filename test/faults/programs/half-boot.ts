/*
 * An application that never quite boots, in one of the ways of `Scene`: it is survived, and closed where there is
 * something to close. Says how it went and what is left; nothing else ends the process.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
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

@Injectable()
class Another implements OnModuleInit {
  onModuleInit() {
    if (scene === 'another part fails') throw new Error('no database');
  }
}

@Module({
  imports: [
    DelayQueueModule.forRoot({
      engine: redisEngine({ connection: REDIS_URL, strict: scene === 'strict' }),
    }),
  ],
  providers: [Consumer, Another],
})
class App {}

try {
  const app = await NestFactory.create(App, { logger: false, abortOnError: false });
  const booting = app.init();
  if (scene === 'closed while it boots') await pass(500);
  if (scene.startsWith('closed while')) await Promise.all([booting, app.close(), app.close()]);
  else await booting;
  if (scene === 'closed at once') await Promise.all([app.close(), app.close()]);
  say({ event: 'ready' });
} catch (error) {
  say({ event: 'failed', message: String(error) });
}
say({ event: 'closed', code: 'none', active: await active() });
