import { setTimeout as pass } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startSecureRedis } from '../support/secure-redis.js';
import { makeEngine } from './open-engines.js';

const ROUNDS = 20;
const AT_ONCE = 30;

it('connections whose certificate is refused may break off at any moment: what the server still says ends no process', async () => {
  const thrown: unknown[] = [];
  const note = (error: unknown) => void thrown.push(error);
  process.on('uncaughtExceptionMonitor', note);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', note));
  const secure = await startSecureRedis();
  onTestFinished(() => secure.stop());
  for (let round = 0; round < ROUNDS; round++) {
    const engines = Array.from({ length: AT_ONCE }, () =>
      makeEngine({ host: '127.0.0.1', port: secure.tlsPort, tls: {} }, { strict: true }),
    );
    const opened = engines.map((engine) => engine.open());
    await Promise.all(engines.map((engine, i) => pass(round + i).then(() => engine.close())));
    await Promise.allSettled(opened);
  }
  expect(thrown).toEqual([]);
});
