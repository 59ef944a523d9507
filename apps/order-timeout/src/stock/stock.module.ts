import { Module } from '@nestjs/common';
import { StockService } from './stock.service.js';

/** What is on the shelves, and what is set aside for open orders. */
@Module({ providers: [StockService], exports: [StockService] })
export class StockModule {}
