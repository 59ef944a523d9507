import { DelayQueueContext } from '@delay-queue/nestjs';
import { bootApp, TOPIC } from './bench-app.js';
import { CONTENT } from './message.js';
import type { Round } from './round.js';

/** All sends are called at once, without waiting for any; the most memory that the process took, in bytes. */
export const delayQueueFlood: Round = async (input) => {
  const app = await bootApp(input, { role: 'producer', producer: { timeout: '60s' } });
  const delayQueue = app.get(DelayQueueContext);
  await delayQueue.send(TOPIC, CONTENT, '1h');
  const before = process.memoryUsage().rss;
  const began = performance.now();
  const sends: Promise<unknown>[] = [];
  for (let sent = 0; sent < input.messages; sent++) sends.push(delayQueue.send(TOPIC, CONTENT, '1h'));
  await Promise.all(sends);
  const seconds = (performance.now() - began) / 1_000;
  const bytes = process.resourceUsage().maxRSS * 1_024 - before;
  await app.close();
  return { bytes, seconds };
};
