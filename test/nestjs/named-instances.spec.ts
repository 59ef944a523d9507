import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { MemoryStore, memoryEngine } from '@delay-queue/memory';
import {
  DelayConsumer,
  DelayQueueContext,
  DelayQueueModule,
  InjectDelayQueue,
  VirtualClock,
  getDelayQueueClockToken,
  getDelayQueueEngineToken,
  getDelayQueueToken,
} from '@delay-queue/nestjs';
import { expect, it, onTestFinished } from 'vitest';
import { boot, bootErrorOf } from './support/boot.js';

const handled: string[] = [];

@DelayConsumer('topic')
class ForDefault {
  execute(content: string) {
    handled.push(`default: ${content}`);
  }
}

@DelayConsumer('topic', { delayQueue: 'audit' })
class ForAudit {
  execute(content: string) {
    handled.push(`audit: ${content}`);
  }
}

@Injectable()
class Sender {
  constructor(
    readonly main: DelayQueueContext,
    @InjectDelayQueue('audit') readonly audit: DelayQueueContext,
    @InjectDelayQueue() readonly mainByName: DelayQueueContext,
  ) {}
}

it('instances do not meet, and every consumer belongs to one', async () => {
  handled.length = 0;
  const store = new MemoryStore();
  const clock = new VirtualClock();
  const { app } = await boot({
    options: { engine: memoryEngine({ store }), clock, namespace: 'main' },
    imports: [
      DelayQueueModule.forRoot({ name: 'audit', engine: memoryEngine({ store }), clock, namespace: 'audit' }),
    ],
    providers: [ForDefault, ForAudit, Sender],
  });
  const { main, audit, mainByName } = app.get(Sender);
  expect(main).toBe(mainByName);
  expect(main).not.toBe(audit);
  expect(app.get(DelayQueueContext)).toBe(main);
  expect(app.get(getDelayQueueToken())).toBe(main);
  expect(app.get(getDelayQueueToken('audit'))).toBe(audit);

  await main.send('topic', 'a', '1m', { id: 'same' });
  await audit.send('topic', 'b', '1m', { id: 'same' });
  await clock.advance('1m');
  expect(handled.toSorted()).toEqual(['audit: b', 'default: a']);
});

it('one name twice is a boot error', async () => {
  const error = await bootErrorOf({ imports: [DelayQueueModule.forRoot({ engine: memoryEngine() })] });
  expect(error.code).toBe('INVALID_OPTION');
  expect(error.message).toMatch(/two delay queues named 'default'/);
});

it('an application with a named instance only has no default one', async () => {
  const { app } = await boot({ options: { name: 'audit' }, providers: [ForAudit] });
  expect(() => app.get(DelayQueueContext)).toThrow(/DelayQueueContext/);
  expect(app.get(getDelayQueueToken('audit'))).toBeInstanceOf(DelayQueueContext);

  const error = await bootErrorOf({ options: { name: 'audit' }, providers: [ForDefault] });
  expect(error.message).toMatch(/ForDefault.*no delay queue named "default".*"audit"/);
});

it('a test replaces engine and clock of a whole application by their tokens', async () => {
  handled.length = 0;
  @Module({
    imports: [
      DelayQueueModule.forRoot({
        engine: () => {
          throw new Error('the real engine was made');
        },
      }),
    ],
    providers: [ForDefault],
  })
  class App {}
  const clock = new VirtualClock();
  const app = await Test.createTestingModule({ imports: [App] })
    .overrideProvider(getDelayQueueEngineToken())
    .useValue(memoryEngine())
    .overrideProvider(getDelayQueueClockToken())
    .useValue(clock)
    .compile();
  onTestFinished(() => app.close());
  await app.init();
  await app.get(DelayQueueContext).send('topic', 'replaced', '30m');
  await clock.advance('31m');
  expect(handled).toEqual(['default: replaced']);
});

it('two applications made from one module class do not meet', async () => {
  handled.length = 0;
  const clocks: VirtualClock[] = [];
  const queue = DelayQueueModule.forRootAsync({
    useFactory: () => {
      const clock = new VirtualClock();
      clocks.push(clock);
      return { engine, clock };
    },
  });
  const engine = memoryEngine();
  const make = async () => {
    const app = await Test.createTestingModule({ imports: [queue], providers: [ForDefault] }).compile();
    onTestFinished(() => app.close());
    return app.init();
  };
  const first = await make();
  const second = await make();
  expect(first.get(DelayQueueContext)).not.toBe(second.get(DelayQueueContext));
  await first.close();
  await second.get(DelayQueueContext).send('topic', 'second lives', '1m');
  await clocks[1]?.advance('1m');
  expect(handled).toEqual(['default: second lives']);
});
