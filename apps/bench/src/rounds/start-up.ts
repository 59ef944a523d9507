import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { bootApp, TOPIC } from './bench-app.js';
import { CONTENT } from './message.js';
import type { Round } from './round.js';

@Module({})
class EmptyModule {}

/** How long an application takes to boot without a delay queue, then with one and a consumer, and its first send. */
export const delayQueueStartUp: Round = async (input) => {
  const began = performance.now();
  const empty = await NestFactory.createApplicationContext(EmptyModule, { logger: ['error'] });
  const emptyAt = performance.now();
  const app = await bootApp(input, {}, { handle: () => undefined });
  const bootedAt = performance.now();
  await app.get(DelayQueueContext).send(TOPIC, CONTENT, '1h');
  const sentAt = performance.now();
  await Promise.all([app.close(), empty.close()]);
  return { nest: emptyAt - began, boot: bootedAt - emptyAt, firstSend: sentAt - bootedAt };
};
