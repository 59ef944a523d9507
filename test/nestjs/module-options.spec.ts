import { Injectable, Module, Scope, type DynamicModule } from '@nestjs/common';
import { NestFactory, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayQueueContext,
  DelayQueueError,
  DelayQueueModule,
  type DelayQueueModuleOptions,
  type DelayQueueOptionsFactory,
} from '@delay-queue/nestjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boot, bootErrorOf } from './support/boot.js';

@Injectable()
class Settings {
  readonly namespace = 'from-settings';
}

@Module({ providers: [Settings], exports: [Settings] })
class SettingsModule {}

@Injectable()
class QueueSettings implements DelayQueueOptionsFactory {
  constructor(private readonly settings: Settings) {}

  createDelayQueueOptions() {
    return { engine: memoryEngine(), namespace: this.settings.namespace };
  }
}

@Module({ imports: [SettingsModule], providers: [QueueSettings], exports: [QueueSettings] })
class QueueSettingsModule {}

async function works(queue: DynamicModule): Promise<void> {
  const app = await Test.createTestingModule({ imports: [queue] }).compile();
  onTestFinished(() => app.close());
  await app.init();
  const sent = await app.get(DelayQueueContext).send('topic', 'content', '1h', { id: 'a' });
  expect(sent).toEqual({ id: 'a', outcome: 'stored' });
}

function thrownBy(run: () => unknown): DelayQueueError {
  try {
    run();
  } catch (error) {
    if (error instanceof DelayQueueError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Options as plain JavaScript would give them. */
const untyped = (options: unknown) => options as DelayQueueModuleOptions;

describe('forRootAsync takes its options from', () => {
  it('useFactory with inject', () =>
    works(
      DelayQueueModule.forRootAsync({
        imports: [SettingsModule],
        inject: [Settings],
        useFactory: async (settings: Settings) => ({
          engine: memoryEngine(),
          namespace: settings.namespace,
        }),
      }),
    ));

  it('useClass', () =>
    works(DelayQueueModule.forRootAsync({ imports: [SettingsModule], useClass: QueueSettings })));

  it('useExisting', () =>
    works(DelayQueueModule.forRootAsync({ imports: [QueueSettingsModule], useExisting: QueueSettings })));
});

describe('forRootAsync refuses', () => {
  it('no factory at all, naming the three keys', () => {
    const error = thrownBy(() => DelayQueueModule.forRootAsync({}));
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toMatch(/useFactory, useClass and useExisting; got none/);
  });

  it('two of the three', () => {
    const useFactory = () => ({ engine: memoryEngine() });
    class NoMethod {}
    const without = { useClass: NoMethod } as unknown as Parameters<typeof DelayQueueModule.forRootAsync>[0];
    expect(thrownBy(() => DelayQueueModule.forRootAsync(without)).message).toMatch(/createDelayQueueOptions/);
    const error = thrownBy(() => DelayQueueModule.forRootAsync({ useFactory, useClass: QueueSettings }));
    expect(error.message).toMatch(/got useFactory and useClass/);
  });

  it('unknown keys, and options that belong into the factory', () => {
    const useFactory = () => ({ engine: memoryEngine() });
    const error = thrownBy(() => DelayQueueModule.forRootAsync({ useFactory, ...{ namespace: 'x' } }));
    expect(error.message).toMatch(/'namespace'.*what the factory returns/);
  });

  it('a factory that returns nothing', async () => {
    const queue = DelayQueueModule.forRootAsync({ useFactory: (() => undefined) as never });
    await expect(works(queue)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('returned undefined') as string,
    });
  });

  it('a name that the factory returns, where nobody would read it', async () => {
    const queue = DelayQueueModule.forRootAsync({
      useFactory: () => ({ engine: memoryEngine(), ...{ name: 'audit' } }),
    });
    await expect(works(queue)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('beside the factory') as string,
    });
  });

  it('request-scoped dependencies, with which nothing would ever start', async () => {
    const queue = DelayQueueModule.forRootAsync({
      inject: [REQUEST],
      useFactory: () => ({ engine: memoryEngine() }),
    });
    await expect(works(queue)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('request-scoped') as string,
    });
  });

  it('a factory that throws, with its own error', async () => {
    const fault = new Error('no settings today');
    const queue = DelayQueueModule.forRootAsync({
      useFactory: () => {
        throw fault;
      },
    });
    await expect(works(queue)).rejects.toBe(fault);
  });

  it('a factory that depends on the queue it makes, instead of waiting for itself', async () => {
    const queue = DelayQueueModule.forRootAsync({
      inject: [DelayQueueContext],
      useFactory: () => ({ engine: memoryEngine() }),
    });
    await expect(works(queue)).rejects.toThrow(/circular|resolve dependencies/i);
  });
});

describe('forRoot', () => {
  it('keeps the code of an option error and names the option', async () => {
    const error = await bootErrorOf({ options: untyped({ namespace: 'a:b' }) });
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toMatch(/namespace/);
  });

  it('refuses unknown options by name', async () => {
    const error = await bootErrorOf({ options: untyped({ concurency: 3 }) });
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toMatch(/concurency/);
  });

  it('refuses a missing engine by name', async () => {
    const error = await bootErrorOf({ options: untyped({ engine: undefined }) });
    expect(error.code).toBe('INVALID_OPTION');
    expect(error.message).toMatch(/engine/);
  });

  it('refuses what is no options object', () => {
    expect(thrownBy(() => DelayQueueModule.forRoot(untyped(undefined))).code).toBe('INVALID_OPTION');
    expect(thrownBy(() => DelayQueueModule.forRoot(untyped({ name: 'a b' }))).message).toMatch(/name/);
    expect(thrownBy(() => DelayQueueModule.forRoot(untyped({ isGlobal: 'yes' }))).message).toMatch(
      /isGlobal/,
    );
  });

  it('takes extras that are spelled out as undefined', () =>
    works(
      DelayQueueModule.forRoot(untyped({ engine: memoryEngine(), name: undefined, isGlobal: undefined })),
    ));

  it('makes the context injectable everywhere, or with isGlobal false where it is imported', async () => {
    @Injectable()
    class Sender {
      constructor(readonly delayQueue: DelayQueueContext) {}
    }
    @Module({ providers: [Sender] })
    class Elsewhere {}

    const { app } = await boot({ imports: [Elsewhere] });
    expect(app.get(Sender).delayQueue).toBe(app.get(DelayQueueContext));

    await expect(boot({ imports: [Elsewhere], options: { isGlobal: false } })).rejects.toThrow(/Sender/);

    const queue = DelayQueueModule.forRoot({ engine: memoryEngine(), isGlobal: false });
    @Module({ imports: [queue], providers: [Sender] })
    class Importing {}
    const importing = await Test.createTestingModule({ imports: [Importing] }).compile();
    onTestFinished(() => importing.close());
    expect(importing.get(Sender).delayQueue).toBeInstanceOf(DelayQueueContext);
  });

  it('may be imported twice as one object', async () => {
    const queue = DelayQueueModule.forRoot({ engine: memoryEngine() });
    @Module({ imports: [queue] })
    class First {}
    @Module({ imports: [queue] })
    class Second {}
    @Module({ imports: [First, Second] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    onTestFinished(() => app.close());
    expect(app.get(DelayQueueContext)).toBeInstanceOf(DelayQueueContext);
  });

  it('works through a subclass of the module', async () => {
    @Module({})
    class ShopQueue extends DelayQueueModule {}
    await works(ShopQueue.forRoot({ engine: memoryEngine() }));
  });
});

it('a request-scoped service can inject the context', async () => {
  @Injectable({ scope: Scope.REQUEST })
  class Sender {
    constructor(readonly delayQueue: DelayQueueContext) {}
  }
  const { app } = await boot({ providers: [Sender] });
  expect((await app.resolve(Sender)).delayQueue).toBe(app.get(DelayQueueContext));
});
