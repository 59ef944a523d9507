import { DelayConsumer, type ConsumerTask, type DelayMessage } from '@delay-queue/nestjs';
import { ORDER_TIMEOUT } from './order-timeout.js';
import { OrdersService } from './orders.service.js';
import { Timeline } from './timeline.js';

/** Runs when an order's time is up. What it throws is retried; what it returns is the end of the message. */
@DelayConsumer(ORDER_TIMEOUT)
export class OrderTimeoutConsumer implements ConsumerTask<string> {
  constructor(
    private readonly orders: OrdersService,
    private readonly timeline: Timeline,
  ) {}

  async execute(orderNo: string, message: DelayMessage<string>): Promise<void> {
    const lateMs = Date.now() - message.dueAt;
    this.timeline.add(orderNo, `time is up, attempt ${message.attempt}`, { lateMs });
    this.timeline.add(orderNo, await this.orders.timeOut(orderNo));
  }
}
