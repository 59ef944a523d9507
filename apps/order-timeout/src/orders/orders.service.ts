import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { DelayInput } from '@delay-queue/core';
import { DelayQueueContext } from '@delay-queue/nestjs';
import { NoticesService } from '../notices/notices.service.js';
import { StockService } from '../stock/stock.service.js';
import { OrderStore } from './order-store.js';
import type { CreateOutcome, OrderRequest, PayOutcome, TimeoutOutcome, TimerOutcome } from './order.js';
import { ORDER_TIMEOUT, ORDER_TIMEOUT_DELAY } from './order-timeout.js';
import { Timeline } from './timeline.js';

/** Orders from creation to payment or timeout. */
@Injectable()
export class OrdersService {
  constructor(
    private readonly delayQueue: DelayQueueContext,
    private readonly store: OrderStore,
    private readonly stock: StockService,
    private readonly notices: NoticesService,
    private readonly timeline: Timeline,
    @Inject(ORDER_TIMEOUT_DELAY) private readonly timeout: DelayInput,
  ) {}

  /** Takes an order, sets its goods aside and starts its timer. Rejects where the timer cannot be started. */
  async create({ item, quantity }: OrderRequest): Promise<CreateOutcome> {
    const no = randomUUID().slice(0, 13);
    // The message goes first: a message without an order does no harm, an order without a message would never end.
    await this.delayQueue.send(ORDER_TIMEOUT, no, this.timeout, { id: no });
    if (!this.stock.reserve(no, item, quantity)) {
      await this.stopTimer(no);
      return { outcome: 'out-of-stock' };
    }
    const order = { no, item, quantity, status: 'unpaid' } as const;
    this.store.insert(order);
    this.timeline.add(no, 'created');
    return { outcome: 'created', order };
  }

  /** Takes a payment, and stops the timer. */
  async pay(no: string): Promise<PayOutcome> {
    if (this.recordPayment(no)) return { outcome: 'paid', timer: await this.stopTimer(no) };
    const order = this.store.find(no);
    if (order === undefined) return { outcome: 'unknown-order' };
    if (order.status === 'paid') return { outcome: 'already-paid' };
    this.timeline.add(no, 'payment refused: too late');
    return { outcome: 'too-late' };
  }

  /** The part of a payment that counts: the order is paid and its goods are sold; one transaction in a database. */
  recordPayment(no: string): boolean {
    if (!this.store.conclude(no, 'paid')) return false;
    this.stock.sell(no);
    this.timeline.add(no, 'paid');
    return true;
  }

  /**
   * Ends an order that was not paid. A message may be delivered twice, or fail halfway and come again, so each step
   * looks at what is done already, and a repetition finishes what is left.
   */
  async timeOut(no: string): Promise<TimeoutOutcome> {
    const cancelled = this.store.conclude(no, 'cancelled');
    const order = this.store.find(no);
    if (order === undefined) return 'unknown-order';
    if (order.status === 'paid') return 'already-paid';
    if (this.stock.release(no)) this.timeline.add(no, 'stock released');
    if ((await this.notices.orderCancelled(no)) === 'delivered') this.timeline.add(no, 'customer told');
    return cancelled ? 'cancelled' : 'cancelled-before';
  }

  /** Only saves work: the handler looks at the order again. So a failure here is no failure of the payment. */
  private async stopTimer(no: string): Promise<TimerOutcome> {
    const outcome = await this.delayQueue.cancel(ORDER_TIMEOUT, no).catch(() => 'unreachable' as const);
    this.timeline.add(no, `timer: ${outcome}`);
    return outcome;
  }
}
