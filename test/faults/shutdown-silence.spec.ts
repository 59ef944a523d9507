import { setTimeout as pass } from 'node:timers/promises';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DelayConsumer, DelayQueueContext, DelayQueueModule, type DelayMessage } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRedis, type RedisServer } from '../support/redis-server.js';
import { random, runSeed } from './support/random.js';
import { TOPIC } from './support/work.js';

const DRAIN_MS = 500;
const SILENCE_MS = 3000;
const CONCURRENCY = 4;
const MESSAGES = 1000;

/** A server, and every command that it is sent from `watch` on; scripts' own commands are among them. */
async function witnessed() {
  const server = await startRedis(['--appendonly', 'yes']);
  const client = new Redis(server.url, { lazyConnect: true, retryStrategy: () => null });
  client.on('error', () => undefined);
  const commands: string[] = [];
  const watch = async () => {
    const monitor = await client.monitor();
    monitor.on('error', () => undefined);
    monitor.on('monitor', (_at: string, command: string[]) => void commands.push(command.join(' ')));
    onTestFinished(() => monitor.disconnect());
  };
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  return { server, client, commands, watch };
}

/** An application of this process, which lives on when it is closed, with messages that are due; what it started. */
async function busy({ url }: RedisServer, work: () => Promise<unknown>) {
  const started: string[] = [];
  @DelayConsumer(TOPIC, { concurrency: CONCURRENCY, queueSize: 0 })
  class Consumer {
    async execute(_: unknown, { id }: DelayMessage) {
      started.push(id);
      await work();
    }
  }
  const engine = redisEngine({ connection: url });
  @Module({
    imports: [
      DelayQueueModule.forRoot({ engine, consumer: { drain: DRAIN_MS, safetyLook: '1s', lease: '3s' } }),
    ],
    providers: [Consumer],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const items = Array.from({ length: MESSAGES }, () => ({ content: '', delay: 0 }));
  await app.get(DelayQueueContext).sendMany(TOPIC, items);
  await expect.poll(() => started.length, { interval: 5 }).toBeGreaterThanOrEqual(CONCURRENCY);
  return { app, started };
}

/** From the end of `closing` on nobody says a word to Redis, and no promise is left to reject. */
async function expectSilence(
  { client, commands }: Awaited<ReturnType<typeof witnessed>>,
  closing: () => Promise<unknown>,
): Promise<void> {
  const unhandled: unknown[] = [];
  const remember = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', remember);
  onTestFinished(() => void process.off('unhandledRejection', remember));
  await closing();
  // What the application said before its end is through when the server knows of that.
  const connections = async () =>
    String(await client.client('LIST'))
      .trim()
      .split('\n');
  await expect.poll(connections).toHaveLength(2);
  await client.echo('end');
  await expect.poll(() => commands.at(-1)).toBe('echo end');
  const before = commands.length;
  await pass(SILENCE_MS);
  expect(commands.slice(before)).toEqual([]);
  expect(unhandled).toEqual([]);
}

/** Claims that took something: the only ones that put ids into a lease. */
const claims = (commands: readonly string[]) =>
  commands.filter((command) => /^sadd \S+:held:/i.test(command)).length;

describe('after app.close() no command reaches Redis any more', () => {
  it('of an application whose handlers end while it drains, and nothing is claimed for their slots', async () => {
    const witness = await witnessed();
    const { server, commands, watch } = witness;
    await watch();
    let end: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { app, started } = await busy(server, () => ended);
    // Every slot is taken and stays so: there is no claim under way.
    const claimed = claims(commands);
    expect(claimed).toBeGreaterThan(0);
    await expectSilence(witness, () => {
      const closing = app.close();
      end?.();
      return closing;
    });
    expect(started).toHaveLength(CONCURRENCY);
    expect(claims(commands)).toBe(claimed);
  });

  it('of an application whose handlers hang', async () => {
    const witness = await witnessed();
    const { server, commands, watch } = witness;
    await watch();
    const { app } = await busy(server, () => new Promise(() => undefined));
    await expectSilence(witness, () => app.close());
    expect(commands.length).toBeGreaterThan(0);
  });

  it('of an application that has lost Redis and is about to connect again', async () => {
    const witness = await witnessed();
    const { server, watch } = witness;
    const { app } = await busy(server, () => pass(5));
    server.signal('SIGKILL');
    const last = refused(app);
    await pass(random(runSeed()).between(0, 1000));
    await expectSilence(witness, async () => {
      await app.close();
      await server.restart();
      await watch();
    });
    expect(await last).toMatchObject({ name: 'DelayQueueError' });
  });
});

function refused(app: INestApplicationContext): Promise<unknown> {
  return app
    .get(DelayQueueContext)
    .send(TOPIC, '', 0)
    .catch((error: unknown) => error);
}
