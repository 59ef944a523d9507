import { type DynamicModule, Module } from '@nestjs/common';
import { DelayQueueModule } from '@delay-queue/nestjs';
import { OrdersModule } from './orders/orders.module.js';
import type { ShopSettings } from './settings.js';

/** The shop: orders that are cancelled when nobody pays in time. */
@Module({})
export class AppModule {
  static with(settings: ShopSettings): DynamicModule {
    return {
      module: AppModule,
      imports: [DelayQueueModule.forRoot(settings.delayQueue), OrdersModule.with(settings)],
    };
  }
}
