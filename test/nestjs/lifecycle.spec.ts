import { Injectable, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayConsumer,
  DelayQueueContext,
  DelayQueueInitHandler,
  DelayQueueModule,
  getDelayQueueInitHandlerToken,
  getDelayQueueToken,
  type EngineFactory,
} from '@delay-queue/nestjs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { boot, compile } from './support/boot.js';

const handled: string[] = [];
beforeEach(() => {
  handled.length = 0;
});

@DelayConsumer('topic')
class Consumer {
  execute(content: string) {
    handled.push(content);
  }
}

describe('consumers start', () => {
  it('after every onApplicationBootstrap, wherever its module stands', async () => {
    let bootstrapped = 0;
    @Injectable()
    class Slow implements OnModuleInit, OnApplicationBootstrap {
      constructor(private readonly delayQueue: DelayQueueContext) {}

      async onModuleInit() {
        await this.delayQueue.send('ready', 'content', 0);
      }

      async onApplicationBootstrap() {
        for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
        bootstrapped += 1;
      }
    }
    @DelayConsumer('ready')
    class Ready {
      execute() {
        handled.push(`bootstrapped ${bootstrapped}`);
      }
    }
    @Module({ providers: [Slow] })
    class Before {}
    @Module({ providers: [Slow] })
    class After {}
    @Module({
      imports: [Before, DelayQueueModule.forRoot({ engine: memoryEngine() }), After],
      providers: [Ready, Slow],
    })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    onTestFinished(() => app.close());
    await expect.poll(() => handled).toHaveLength(3);
    expect(handled).toEqual(Array.from({ length: 3 }, () => 'bootstrapped 3'));
  });

  it('by hand where autoStart is false, once', async () => {
    const { app, clock, log } = await boot({
      providers: [Consumer],
      options: { consumer: { autoStart: false } },
    });
    expect(log.matching(/wait for start\(\): topic \(Consumer in RootTestModule\)/)).toHaveLength(1);
    await app.get(DelayQueueContext).send('topic', 'by hand', '1m');
    await clock.advance('2m');
    expect(handled).toEqual([]);

    const initHandler = app.get(DelayQueueInitHandler);
    await Promise.all([initHandler.start(), initHandler.start()]);
    await clock.advance('1s');
    expect(handled).toEqual(['by hand']);
  });

  it('by hand for a named instance', async () => {
    @DelayConsumer('topic', { delayQueue: 'audit' })
    class Audit extends Consumer {}
    const { app, clock } = await boot({
      providers: [Audit],
      options: { name: 'audit', consumer: { autoStart: false } },
    });
    await app.get(getDelayQueueToken('audit')).send('topic', 'named', 0);
    await app.get(getDelayQueueInitHandlerToken('audit')).start();
    await clock.advance('1s');
    expect(handled).toEqual(['named']);
  });

  it('not at all under role producer, which says so once', async () => {
    const { app, clock, log } = await boot({ providers: [Consumer], options: { role: 'producer' } });
    expect(log.matching(/'producer'.*idle.*topic \(Consumer in RootTestModule\)/)).toHaveLength(1);
    await app.get(DelayQueueContext).send('topic', 'idle', '1m');
    await clock.advance('5m');
    expect(handled).toEqual([]);
    await expect(app.get(DelayQueueInitHandler).start()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  it('under role consumer, which can still send, and warns where there is none', async () => {
    const { app, clock } = await boot({ providers: [Consumer], options: { role: 'consumer' } });
    await app.get(DelayQueueContext).send('topic', 'sent', '1m');
    await clock.advance('1m');
    expect(handled).toEqual(['sent']);

    const { log } = await boot({ options: { role: 'consumer' } });
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});

describe('a module loaded later', () => {
  @Module({ providers: [Consumer] })
  class Later {}

  it('has its consumers found and started by register(), once', async () => {
    const { app, clock } = await boot({});
    await app.get(DelayQueueContext).send('topic', 'lazy', '1m');
    await app.get(LazyModuleLoader).load(() => Later);
    await clock.advance('2m');
    expect(handled).toEqual([]);

    const initHandler = app.get(DelayQueueInitHandler);
    initHandler.register();
    initHandler.register();
    await clock.advance('1s');
    expect(handled).toEqual(['lazy']);
  });

  it('cannot take a topic that has a consumer', async () => {
    const { app } = await boot({ providers: [Consumer] });
    await app.get(LazyModuleLoader).load(() => Later);
    expect(() => app.get(DelayQueueInitHandler).register()).toThrow(
      /Consumer in RootTestModule and Consumer in Later/,
    );
  });

  it('is refused once the application has stopped', async () => {
    const { app } = await boot({});
    await app.close();
    expect(() => app.get(DelayQueueInitHandler).register()).toThrow(
      expect.objectContaining({ code: 'CLOSED' }),
    );
    await expect(app.get(DelayQueueInitHandler).start()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});

describe('close', () => {
  it('is fine twice, at once and one after the other', async () => {
    const { app } = await boot({ providers: [Consumer] });
    await Promise.all([app.close(), app.close()]);
    await app.close();
  });

  it('is fine before init', async () => {
    const { app } = await compile({ providers: [Consumer] });
    await app.close();
    await expect(app.get(DelayQueueContext).send('topic', 'late', 0)).rejects.toMatchObject({
      code: 'CLOSED',
    });
  });

  it('leaves no zombie: the next application gets every message', async () => {
    const engine = memoryEngine();
    const first = await Test.createTestingModule({
      imports: [DelayQueueModule.forRoot({ engine })],
      providers: [Consumer],
    }).compile();
    await first.init();
    await first.close();
    const spy = vi.spyOn(first.get(Consumer), 'execute');

    const { app, clock } = await boot({ options: { engine }, providers: [Consumer] });
    const items = Array.from({ length: 100 }, (_, n) => ({ content: `${n}`, delay: 1000 }));
    await app.get(DelayQueueContext).sendMany('topic', items);
    await clock.advance('2s');
    expect(handled).toHaveLength(100);
    expect(spy).not.toHaveBeenCalled();
  });
});

describe('a boot that fails half-way', () => {
  it('in another provider leaves the queue closable, with its own error', async () => {
    const fault = new Error('no database');
    @Injectable()
    class Failing implements OnModuleInit {
      onModuleInit() {
        throw fault;
      }
    }
    const { app } = await compile({ providers: [Failing, Consumer] });
    await expect(app.init()).rejects.toBe(fault);
    await app.close();
  });

  it('in one instance closes the others', async () => {
    const closed: string[] = [];
    const watched =
      (name: string, open?: () => Promise<void>): EngineFactory =>
      (context) => {
        const engine = memoryEngine()(context);
        const close = engine.close.bind(engine);
        if (open !== undefined) engine.open = open;
        engine.close = async () => {
          closed.push(name);
          await close();
        };
        return engine;
      };
    const fails = () => Promise.reject(new Error('no such host'));
    const failing = DelayQueueModule.forRoot({ name: 'failing', engine: watched('failing', fails) });
    const { app } = await compile({ imports: [failing], options: { engine: watched('default') } });
    await expect(app.init()).rejects.toThrow('no such host');
    expect(closed.toSorted()).toEqual(['default', 'failing']);
  });
});
