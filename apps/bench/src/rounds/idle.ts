import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { bootApp, TOPIC } from './bench-app.js';
import { CONTENT } from './message.js';
import type { Round } from './round.js';

const SAFETY_LOOK_MS = 1_000;
const LOOKS = 10;

/**
 * Commands that one idle consumer process sends to Redis per safety look, by MONITOR: what scripts call inside the
 * server is not counted, what clients send is. One message is pending, due in an hour.
 */
export const delayQueueIdle: Round = async (input) => {
  const app = await bootApp(input, { consumer: { safetyLook: SAFETY_LOOK_MS } }, { handle: () => undefined });
  await app.get(DelayQueueContext).send(TOPIC, CONTENT, '1h');
  await sleep(2 * SAFETY_LOOK_MS);
  const observer = new Redis({ port: input.redisPort });
  const monitor = await observer.monitor();
  const counts: Record<string, number> = {};
  monitor.on('monitor', (_time: string, [command = '']: string[], source: string) => {
    const name = command.toLowerCase();
    if (source !== 'lua') counts[name] = (counts[name] ?? 0) + 1;
  });
  await sleep(LOOKS * SAFETY_LOOK_MS);
  monitor.disconnect();
  observer.disconnect();
  await app.close();
  const perLook = Object.entries(counts).map(([name, count]) => [name, count / LOOKS] as const);
  const total = perLook.reduce((sum, [, count]) => sum + count, 0);
  return { total, ...Object.fromEntries(perLook) };
};
