import { Body, Controller, Get, HttpStatus, Param, Post, Res, UseFilters } from '@nestjs/common';
import type { OrderRequest } from './order.js';
import { OrderStore } from './order-store.js';
import { OrdersService } from './orders.service.js';
import { QueueUnavailableFilter } from './queue-unavailable.filter.js';
import { Timeline } from './timeline.js';

/** HTTP status of each outcome. */
const STATUS = {
  created: HttpStatus.CREATED,
  paid: HttpStatus.OK,
  'already-paid': HttpStatus.OK,
  found: HttpStatus.OK,
  'invalid-request': HttpStatus.BAD_REQUEST,
  'unknown-order': HttpStatus.NOT_FOUND,
  'out-of-stock': HttpStatus.CONFLICT,
  'too-late': HttpStatus.CONFLICT,
} as const;

/** The part of Express' response that is used here. */
interface Reply {
  status(code: number): unknown;
}

/** The shop over HTTP. Every outcome is an answer; only a queue out of reach is an error. */
@Controller('orders')
@UseFilters(QueueUnavailableFilter)
export class OrdersController {
  constructor(
    private readonly orders: OrdersService,
    private readonly store: OrderStore,
    private readonly timeline: Timeline,
  ) {}

  @Post()
  async create(@Body() body: unknown, @Res({ passthrough: true }) reply: Reply) {
    if (!isOrderRequest(body)) {
      const expected = 'expected { "item": "tea", "quantity": 1 } with a whole quantity of 1 or more';
      return answer(reply, { outcome: 'invalid-request', expected });
    }
    return answer(reply, await this.orders.create(body));
  }

  @Post(':no/pay')
  async pay(@Param('no') no: string, @Res({ passthrough: true }) reply: Reply) {
    return answer(reply, await this.orders.pay(no));
  }

  @Get(':no')
  find(@Param('no') no: string, @Res({ passthrough: true }) reply: Reply) {
    const order = this.store.find(no);
    if (order === undefined) return answer(reply, { outcome: 'unknown-order' });
    return answer(reply, { outcome: 'found', order, timeline: this.timeline.of(no) });
  }
}

function answer<T extends { readonly outcome: keyof typeof STATUS }>(reply: Reply, result: T): T {
  reply.status(STATUS[result.outcome]);
  return result;
}

function isOrderRequest(body: unknown): body is OrderRequest {
  if (typeof body !== 'object' || body === null) return false;
  const { item, quantity } = body as Partial<Record<keyof OrderRequest, unknown>>;
  return typeof item === 'string' && Number.isSafeInteger(quantity) && Number(quantity) >= 1;
}
