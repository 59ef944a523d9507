import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayConsumer,
  DelayQueueContext,
  DelayQueueModule,
  VirtualClock,
  type ConsumerTask,
  type DelayMessage,
  type EngineFactory,
} from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { uniqueNamespace } from '../support/unique.js';

interface Order {
  readonly no: string;
  state: 'unpaid' | 'paid' | 'closed';
}

@Injectable()
class OrderService {
  readonly orders = new Map<string, Order>();

  constructor(private readonly delayQueue: DelayQueueContext) {}

  async create(order: Order) {
    this.orders.set(order.no, order);
    await this.delayQueue.send('order:timeout', order.no, '30m', { id: order.no });
  }

  async pay(orderNo: string) {
    const order = this.orders.get(orderNo);
    if (order?.state !== 'unpaid') return 'too late';
    order.state = 'paid';
    return this.delayQueue.cancel('order:timeout', orderNo);
  }

  async closeIfUnpaid(orderNo: string) {
    const order = this.orders.get(orderNo);
    if (order?.state === 'unpaid') order.state = 'closed';
  }
}

@DelayConsumer('order:timeout', { concurrency: 16 })
class OrderTimeoutConsumer implements ConsumerTask<string> {
  readonly latenessMs: number[] = [];

  constructor(
    private readonly orders: OrderService,
    private readonly clock: VirtualClock,
  ) {}

  async execute(orderNo: string, message: DelayMessage<string>) {
    this.latenessMs.push(this.clock.now() - message.dueAt);
    await this.orders.closeIfUnpaid(orderNo);
  }
}

const engines: [string, () => EngineFactory][] = [
  ['memory', () => memoryEngine()],
  ['redis', () => redisEngine({ connection: inject('redisUrl') })],
];

describe.each(engines)('order timeout under a virtual clock with %s', (_name, engine) => {
  it('closes the unpaid order when its half hour is over, and leaves the paid one', async () => {
    const clock = new VirtualClock();
    @Module({
      imports: [
        DelayQueueModule.forRoot({
          engine: engine(),
          namespace: uniqueNamespace(),
          clock,
          regions: 5,
          producer: { maxPending: 10_000, overflow: 'wait', timeout: '5s' },
          consumer: { concurrency: 16, queueSize: 64, lease: '30s', timeout: '5m', drain: '10s' },
          retry: {
            attempts: 5,
            backoff: { type: 'exponential', delay: '1m', factor: 2, max: '1h', jitter: 0.1 },
          },
          limits: { maxDelay: '366d', maxContentBytes: 65_536 },
        }),
      ],
      providers: [OrderService, OrderTimeoutConsumer, { provide: VirtualClock, useValue: clock }],
    })
    class AppModule {}
    const app = await Test.createTestingModule({ imports: [AppModule] }).compile();
    onTestFinished(() => app.close());
    await app.init();

    const orders = app.get(OrderService);
    await orders.create({ no: 'unpaid', state: 'unpaid' });
    await orders.create({ no: 'paid', state: 'unpaid' });
    await clock.advance('29m');
    expect(await orders.pay('paid')).toBe('cancelled');
    expect(orders.orders.get('unpaid')?.state).toBe('unpaid');

    await clock.advance('2m');
    expect([...orders.orders.values()].map(({ state }) => state)).toEqual(['closed', 'paid']);
    expect(await orders.pay('unpaid')).toBe('too late');
    const lateness = app.get(OrderTimeoutConsumer).latenessMs;
    expect(lateness).toHaveLength(1);
    expect(lateness[0]).toBeGreaterThanOrEqual(0);
    expect(lateness[0]).toBeLessThan(1000);
  });

  it('runs what fell due in one step of 31 minutes', async () => {
    const clock = new VirtualClock();
    const app = await Test.createTestingModule({
      imports: [DelayQueueModule.forRoot({ engine: engine(), namespace: uniqueNamespace(), clock })],
      providers: [OrderService, OrderTimeoutConsumer, { provide: VirtualClock, useValue: clock }],
    }).compile();
    onTestFinished(() => app.close());
    await app.init();
    const orders = app.get(OrderService);
    await orders.create({ no: 'one', state: 'unpaid' });
    await clock.advance('31m');
    expect(orders.orders.get('one')?.state).toBe('closed');
  });

  it('takes messages that a service sends while the application starts', async () => {
    @Injectable()
    class Early implements OnModuleInit {
      constructor(private readonly orders: OrderService) {}
      onModuleInit() {
        return this.orders.create({ no: 'early', state: 'unpaid' });
      }
    }
    const clock = new VirtualClock();
    const app = await Test.createTestingModule({
      imports: [DelayQueueModule.forRoot({ engine: engine(), namespace: uniqueNamespace(), clock })],
      providers: [Early, OrderService, OrderTimeoutConsumer, { provide: VirtualClock, useValue: clock }],
    }).compile();
    onTestFinished(() => app.close());
    await app.init();
    await clock.advance('31m');
    expect(app.get(OrderService).orders.get('early')?.state).toBe('closed');
  });
});
