import { DelayQueueRuntime, resolveProperties, type DelayQueueError } from '@delay-queue/core';
import { redisEngine } from '@delay-queue/redis';
import { setTimeout as pass } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { uniqueNamespace } from '../support/unique.js';

it('what is rejected while there is no connection is never carried out, and the error says so', async () => {
  const server = await startRedis(['--appendonly', 'yes']);
  const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const engine = redisEngine({ connection: server.url });
  const runtime = new DelayQueueRuntime(
    resolveProperties({ engine, namespace: uniqueNamespace(), logger: quiet, producer: { timeout: '1s' } }),
  );
  onTestFinished(async () => {
    await runtime.close();
    await server.stop();
  });
  await runtime.open();
  const { context } = runtime;
  await context.send('t', 0, '1h', { id: 'first' });

  server.signal('SIGKILL');
  await expect(context.send('t', 0, '1h', { id: 'notices' })).rejects.toThrow(/sending 'notices'/);
  const failures: Promise<DelayQueueError>[] = [];
  for (let i = 0; i < 40; i++) {
    const call = i % 2 === 0 ? context.send('t', i, '1h', { id: `m${i}` }) : context.cancel('t', 'first');
    failures.push(
      call.then(
        () => Promise.reject(new Error('it did not fail')),
        (error: unknown) => error as DelayQueueError,
      ),
    );
    await pass(50);
  }
  for (const { code, mayBeStored } of await Promise.all(failures)) {
    expect({ code, mayBeStored }).toEqual({ code: 'UNAVAILABLE', mayBeStored: false });
  }
  await server.restart();
  await expect
    .poll(() => context.send('t', 0, '1h', { id: 'last' }).catch(String), { timeout: 10_000 })
    .toMatchObject({ id: 'last' });
  for (let i = 0; i < 40; i += 2) expect(await context.find('t', `m${i}`)).toBeUndefined();
  expect(await context.find('t', 'first')).toMatchObject({ state: 'waiting' });
});
