import { Injectable } from '@nestjs/common';
import type { Order } from './order.js';

/** Orders in memory, so one process alone can serve this shop; a real one has a table here. */
@Injectable()
export class OrderStore {
  private readonly orders = new Map<string, Order>();

  insert(order: Order): void {
    this.orders.set(order.no, order);
  }

  find(no: string): Order | undefined {
    return this.orders.get(no);
  }

  /**
   * Takes an unpaid order to its end, and says whether this call did it. Payment and timeout may come together, and
   * one of them must win: in SQL, `UPDATE orders SET status = $2 WHERE no = $1 AND status = 'unpaid'`.
   */
  conclude(no: string, status: 'paid' | 'cancelled'): boolean {
    const order = this.orders.get(no);
    if (order?.status !== 'unpaid') return false;
    this.orders.set(no, { ...order, status });
    return true;
  }
}
