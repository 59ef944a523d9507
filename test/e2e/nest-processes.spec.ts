import { NestFactory } from '@nestjs/core';
import { DelayQueueContext, DelayQueueModule } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { freePort, startRedis } from '../support/redis-server.js';
import { uniqueNamespace } from '../support/unique.js';
import { startProgram, type Program } from './support/program.js';

const LEASE_MS = 2000;

/** Sends from this process into a namespace of its own. */
async function sender() {
  const namespace = uniqueNamespace();
  const queue = DelayQueueModule.forRoot({
    engine: redisEngine({ connection: inject('redisUrl') }),
    namespace,
  });
  const app = await NestFactory.createApplicationContext(queue, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  return {
    delayQueue: app.get(DelayQueueContext),
    env: { REDIS_URL: inject('redisUrl'), NAMESPACE: namespace },
  };
}

describe('SIGTERM', () => {
  it('lets a running handler finish and send, and starts nothing new', async () => {
    const { delayQueue, env } = await sender();
    const worker = await startProgram('worker', env);
    await worker.line(/^ready/);
    await delayQueue.send('work', 500, 0, { id: 'running' });
    await worker.line(/^started running 1/);
    worker.kill('SIGTERM');
    await delayQueue.send('work', 0, '200ms', { id: 'later' });

    const { signal, code } = await worker.ended;
    expect({ signal, code }).toEqual({ signal: 'SIGTERM', code: null });
    expect(worker.lines).toContain('finished running stored');
    expect(worker.lines.filter((line) => line.startsWith('started'))).toEqual(['started running 1']);
    expect(await delayQueue.find('follow-up', 'running')).toMatchObject({ state: 'waiting' });
    expect(await delayQueue.find('work', 'running')).toBeUndefined();
    expect(await delayQueue.find('work', 'later')).toMatchObject({ state: 'waiting', attempt: 0 });
  });

  it('gives back what does not finish in time', async () => {
    const { delayQueue, env } = await sender();
    const worker = await startProgram('worker', { ...env, DRAIN: '1s', LEASE: '1h' });
    await worker.line(/^ready/);
    await delayQueue.send('work', 'hang', 0, { id: 'hanging' });
    await worker.line(/^started hanging 1/);
    const stoppedAt = performance.now();
    worker.kill('SIGTERM');
    const { signal, at } = await worker.ended;
    expect(signal).toBe('SIGTERM');
    expect(at - stoppedAt).toBeLessThan(4000);

    const next = await startProgram('worker', env);
    await next.line(/^started hanging 2/);
  });
});

it('after kill -9 in a handler another process gets the message within the lease plus a second', async () => {
  const { delayQueue, env } = await sender();
  const workers = await Promise.all([startProgram('worker', env), startProgram('worker', env)]);
  await Promise.all(workers.map((worker) => worker.line(/^ready/)));
  await delayQueue.send('work', 'hang', LEASE_MS, { id: 'held' });
  const started = (worker: Program) => worker.line(/^started held 1/).then(() => worker);
  const victim = await Promise.any(workers.map(started));
  const survivor = workers.find((worker) => worker !== victim);
  const killedAt = performance.now();
  victim.kill('SIGKILL');
  await survivor?.line(/^started held 2/);
  expect(performance.now() - killedAt).toBeLessThan(LEASE_MS + 1000);
});

describe('a process that only sends', () => {
  it.each([
    ['on the memory engine', 'both', false],
    ['on Redis', 'both', true],
    ['on Redis as role producer, beside an idle consumer', 'producer', true],
  ])('%s ends by itself at once after close', async (_where, ROLE, redis) => {
    const program = await startProgram('sender', {
      ROLE,
      NAMESPACE: uniqueNamespace(),
      ...(redis ? { REDIS_URL: inject('redisUrl') } : {}),
    });
    const closed = await program.line(/^closed/);
    const closedAt = performance.now();
    const { code, at } = await program.ended;
    expect(program.lines).toContain('sent stored');
    expect(program.lines).not.toContain('handled');
    expect(closed).toBe('closed, active: []');
    expect(code).toBe(0);
    expect(at - closedAt).toBeLessThan(1000);
  });
});

describe('a boot that fails leaves no open handle', () => {
  it.each([
    ['onModuleInit', 'no database'],
    ['onApplicationBootstrap', 'no database'],
    ['consumers', 'two consumers'],
  ])('in %s', async (FAIL_IN, expected) => {
    const env = { FAIL_IN, REDIS_URL: inject('redisUrl'), NAMESPACE: uniqueNamespace() };
    const program = await startProgram('failing-boot', env);
    const failed = await program.line(/^failed/);
    expect(failed).toContain(expected);
    expect(await program.line(/^active/)).toBe('active: []');
    expect((await program.ended).code).toBe(0);
  });
});

it('a wrong password fails the boot, is not shown, and leaves no open handle', async () => {
  const server = await startRedis(['--requirepass', 'right-password']);
  onTestFinished(() => server.stop());
  const program = await startProgram('failing-boot', {
    FAIL_IN: 'nothing',
    REDIS_URL: `redis://:wrong-password@127.0.0.1:${server.port}`,
    NAMESPACE: uniqueNamespace(),
  });
  expect(await program.line(/^failed/)).toMatch(/password/i);
  expect(await program.line(/^active/)).toBe('active: []');
  expect((await program.ended).code).toBe(0);
  expect(program.lines.join('\n')).not.toContain('wrong-password');
});

it('a process whose Redis is away boots, closes on SIGTERM and ends', async () => {
  const worker = await startProgram('worker', {
    REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    NAMESPACE: uniqueNamespace(),
  });
  await worker.line(/^ready/);
  const stoppedAt = performance.now();
  worker.kill('SIGTERM');
  const { signal, at } = await worker.ended;
  expect(signal).toBe('SIGTERM');
  expect(at - stoppedAt).toBeLessThan(12_000);
});
