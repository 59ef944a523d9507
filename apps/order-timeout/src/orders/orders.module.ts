import { type DynamicModule, Module } from '@nestjs/common';
import { NoticesModule } from '../notices/notices.module.js';
import type { ShopSettings } from '../settings.js';
import { StockModule } from '../stock/stock.module.js';
import { OrderStore } from './order-store.js';
import { ORDER_TIMEOUT_DELAY } from './order-timeout.js';
import { OrderTimeoutConsumer } from './order-timeout.consumer.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { Timeline } from './timeline.js';

/** Orders, their HTTP API and the consumer of their timeouts. */
@Module({})
export class OrdersModule {
  static with({ orderTimeout, noticeChannel }: ShopSettings): DynamicModule {
    return {
      module: OrdersModule,
      imports: [StockModule, NoticesModule.with(noticeChannel)],
      controllers: [OrdersController],
      providers: [
        { provide: ORDER_TIMEOUT_DELAY, useValue: orderTimeout },
        OrderStore,
        OrdersService,
        OrderTimeoutConsumer,
        Timeline,
      ],
    };
  }
}
