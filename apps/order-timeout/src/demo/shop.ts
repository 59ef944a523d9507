import type { INestApplicationContext } from '@nestjs/common';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { OrderStore } from '../orders/order-store.js';
import { OrdersService } from '../orders/orders.service.js';
import { Timeline } from '../orders/timeline.js';
import type { FailingChannel } from './failing-channel.js';

/** The parts of the running shop that the scenes use. */
export class Shop {
  readonly delayQueue: DelayQueueContext;
  readonly orders: OrdersService;
  readonly store: OrderStore;
  readonly timeline: Timeline;

  constructor(
    app: INestApplicationContext,
    readonly channel: FailingChannel,
  ) {
    this.delayQueue = app.get(DelayQueueContext);
    this.orders = app.get(OrdersService);
    this.store = app.get(OrderStore);
    this.timeline = app.get(Timeline);
  }

  /** Orders one tea; returns the order's number. */
  async orderTea(): Promise<string> {
    const created = await this.orders.create({ item: 'tea', quantity: 1 });
    if (created.outcome !== 'created') throw new Error('the demo ran out of tea');
    return created.order.no;
  }

  /** What happened to an order so far. */
  story(orderNo: string): readonly string[] {
    return this.timeline.of(orderNo).map((entry) => entry.what);
  }
}
