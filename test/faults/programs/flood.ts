/*
 * A producer process that makes `COUNT` sends at once, without waiting for any of them. Prints one JSON object when
 * all have settled, and ends.
 */
import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { TOPIC } from '../support/work.js';

const { COUNT = '', REDIS_URL = '', NAMESPACE = '' } = process.env;
const app = await NestFactory.createApplicationContext(
  DelayQueueModule.forRoot({
    engine: redisEngine({ connection: REDIS_URL }),
    namespace: NAMESPACE,
    role: 'producer',
    producer: { timeout: '5m' },
  }),
  { logger: false },
);
const delayQueue = app.get(DelayQueueContext);
const outcomes: Record<string, number> = {};
const count = (outcome: string) => (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1);
await new Promise<void>((resolve) => {
  let open = Number(COUNT);
  const settled = () => --open === 0 && resolve();
  for (let i = 0; i < Number(COUNT); i++) {
    delayQueue
      .send(TOPIC, i, 0)
      .then(
        ({ outcome }) => count(outcome),
        (error: unknown) => count(String(error)),
      )
      .finally(settled);
  }
});
await app.close();
const { heapUsed, rss } = process.memoryUsage();
process.stdout.write(`${JSON.stringify({ outcomes, heapUsed, rss })}\n`);
