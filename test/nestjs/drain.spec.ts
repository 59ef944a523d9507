import {
  Global,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayConsumer,
  DelayQueueContext,
  DelayQueueModule,
  getDelayQueueInitHandlerToken,
  getDelayQueueToken,
  type DelayMessage,
} from '@delay-queue/nestjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Gate } from './support/gate.js';

/** What a handler may need: a database, say. Remembers whether it was closed while a handler was running. */
class Resource implements OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown {
  closed = false;

  onModuleDestroy() {
    this.closed = true;
  }
  beforeApplicationShutdown() {
    this.closed = true;
  }
  onApplicationShutdown() {
    this.closed = true;
  }
}

@Injectable()
class InRoot extends Resource {}
@Injectable()
class InFeature extends Resource {}
@Injectable()
class InGlobal extends Resource {}
@Injectable()
class InConsumers extends Resource {}
@Injectable()
class InDeep extends Resource {}

const RESOURCES: Type<Resource>[] = [InRoot, InFeature, InGlobal, InConsumers, InDeep];

@Module({ providers: [InDeep], exports: [InDeep] })
class DeepModule {}
@Module({ imports: [DeepModule], providers: [InFeature], exports: [InFeature] })
class FeatureModule {}
@Global()
@Module({ providers: [InGlobal], exports: [InGlobal] })
class GlobalModule {}

let gate = new Gate();

@DelayConsumer('drain')
class SlowConsumer {
  sent: string | undefined;

  constructor(
    private readonly delayQueue: DelayQueueContext,
    readonly feature: InFeature,
    readonly global: InGlobal,
  ) {}

  async execute(_content: string, message: DelayMessage) {
    await gate.pass();
    const { outcome } = await this.delayQueue.send('later', message.id, '1h');
    this.sent = outcome;
  }
}

@DelayConsumer('drain', { delayQueue: 'second' })
class SecondConsumer {
  done = false;

  async execute() {
    await secondGate.pass();
    this.done = true;
  }
}
let secondGate = new Gate();

@Module({ imports: [FeatureModule], providers: [SlowConsumer, InConsumers], exports: [InConsumers] })
class ConsumersModule {}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((item) =>
    permutations(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  );
}

/** Long enough for hooks that wait for nothing to have run. */
async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve));
}

const PARTS = ['queue', 'feature', 'global', 'consumers'] as const;

async function start(order: readonly (typeof PARTS)[number][], isGlobal: boolean) {
  gate = new Gate();
  const queue = DelayQueueModule.forRoot({ engine: memoryEngine(), isGlobal, consumer: { drain: '10s' } });
  const parts: Record<(typeof PARTS)[number], Type<unknown> | DynamicModule> = {
    queue,
    feature: FeatureModule,
    global: GlobalModule,
    consumers: isGlobal ? ConsumersModule : { module: ConsumersModule, imports: [queue, FeatureModule] },
  };
  @Module({ imports: order.map((part) => parts[part]), providers: [InRoot] })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  onTestFinished(async () => {
    gate.open();
    await app.close();
  });
  return app;
}

describe('while a handler runs in a closing application, no resource of the user is closed', () => {
  const cases = permutations(PARTS).flatMap((order) => [
    { order: order.join(', '), isGlobal: true },
    { order: order.join(', '), isGlobal: false },
  ]);

  it.each(cases)('imports: $order; isGlobal: $isGlobal', async ({ order, isGlobal }) => {
    const app = await start(order.split(', ') as (typeof PARTS)[number][], isGlobal);
    await app.get(DelayQueueContext).send('drain', 'content', 0);
    await gate.reached;
    const resources = RESOURCES.map((each) => app.get(each));
    const closing = app.close();
    await turns();
    expect(resources.filter(({ closed }) => closed)).toHaveLength(0);

    gate.open();
    await closing;
    expect(app.get(SlowConsumer).sent).toBe('stored');
    expect(resources.filter(({ closed }) => closed)).toHaveLength(RESOURCES.length);
  });
});

it('afterwards sending is refused as CLOSED', async () => {
  const app = await start(PARTS, true);
  const queue = app.get(DelayQueueContext);
  await app.close();
  await expect(queue.send('drain', 'content', 0)).rejects.toMatchObject({ code: 'CLOSED' });
});

it('a resource may still send while it closes', async () => {
  @Injectable()
  class LastWords implements OnApplicationShutdown {
    outcome: string | undefined;
    constructor(private readonly delayQueue: DelayQueueContext) {}
    async onApplicationShutdown() {
      this.outcome = (await this.delayQueue.send('later', 'goodbye', '1h')).outcome;
    }
  }
  for (const isGlobal of [true, false]) {
    const queue = DelayQueueModule.forRoot({ engine: memoryEngine(), isGlobal });
    @Module({ imports: [queue], providers: [LastWords] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
    await app.close();
    expect(app.get(LastWords).outcome).toBe('stored');
  }
});

it('several instances drain at the same time', async () => {
  gate = new Gate();
  secondGate = new Gate();
  @Module({
    imports: [
      DelayQueueModule.forRoot({ engine: memoryEngine() }),
      DelayQueueModule.forRoot({ engine: memoryEngine(), name: 'second' }),
      GlobalModule,
    ],
    providers: [SecondConsumer, SlowConsumer, InFeature],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  onTestFinished(() => app.close());
  const second = app.get(getDelayQueueToken('second'));
  await app.get(DelayQueueContext).send('drain', 'content', 0);
  await second.send('drain', 'first', 0);
  await Promise.all([gate.reached, secondGate.reached]);

  const closing = app.close();
  await turns();
  for (const name of ['default', 'second']) {
    expect(() => app.get(getDelayQueueInitHandlerToken(name)).register()).toThrow(/has stopped/);
  }
  secondGate.open();
  await expect.poll(() => app.get(SecondConsumer).done).toBe(true);
  gate.open();
  await closing;
  expect(app.get(SlowConsumer).sent).toBe('stored');
});
