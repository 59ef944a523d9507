import { AsyncLocalStorage } from 'node:async_hooks';
import { Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayConsumer,
  DelayQueueContext,
  DelayQueueInitHandler,
  type EngineFactory,
} from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { describe, expect, inject, it } from 'vitest';
import { uniqueNamespace } from '../support/unique.js';
import { boot } from './support/boot.js';

const request = new AsyncLocalStorage<string>();
const seen: (string | undefined)[] = [];

@DelayConsumer('topic')
class Consumer {
  execute() {
    seen.push(request.getStore());
  }
}

const engines: [string, () => EngineFactory][] = [
  ['memory', () => memoryEngine()],
  ['redis', () => redisEngine({ connection: inject('redisUrl') })],
];

describe.each(engines)('with %s, a handler sees no AsyncLocalStorage of', (_name, engine) => {
  const options = () => ({ engine: engine(), namespace: uniqueNamespace() });

  it('who sent, rescheduled, or moved the clock', async () => {
    seen.length = 0;
    const { app, clock } = await boot({ options: options(), providers: [Consumer] });
    const queue = app.get(DelayQueueContext);
    await request.run('sender', async () => {
      await queue.send('topic', 'due now', 0);
      await queue.send('topic', 'due later', '1m');
      await queue.send('topic', 'moved', '1h', { id: 'moved' });
    });
    await request.run('rescheduler', () => queue.reschedule('topic', 'moved', '2m'));
    await request.run('clock', () => clock.advance('3m'));
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  it('who started the consumers by hand', async () => {
    seen.length = 0;
    const { app, clock } = await boot({
      options: { ...options(), consumer: { autoStart: false } },
      providers: [Consumer],
    });
    await request.run('starter', () => app.get(DelayQueueInitHandler).start());
    await app.get(DelayQueueContext).send('topic', 'content', '1m');
    await clock.advance('2m');
    expect(seen).toEqual([undefined]);
  });

  it('who registered the consumers of a module loaded later', async () => {
    seen.length = 0;
    @Module({ providers: [Consumer] })
    class Later {}
    const { app, clock } = await boot({ options: options() });
    await app.get(LazyModuleLoader).load(() => Later);
    request.run('registrar', () => app.get(DelayQueueInitHandler).register());
    await app.get(DelayQueueContext).send('topic', 'content', '1m');
    await clock.advance('2m');
    expect(seen).toEqual([undefined]);
  });
});
