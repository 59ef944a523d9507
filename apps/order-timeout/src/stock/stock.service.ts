import { Injectable } from '@nestjs/common';

/** Stock in memory; a real shop has tables here, changed in the transaction that changes the order. */
@Injectable()
export class StockService {
  private readonly onShelf = new Map([
    ['tea', 20],
    ['coffee', 20],
  ]);
  private readonly reserved = new Map<string, { item: string; quantity: number }>();

  available(item: string): number {
    return this.onShelf.get(item) ?? 0;
  }

  /** Sets aside what an order needs; false where there is not enough. */
  reserve(orderNo: string, item: string, quantity: number): boolean {
    const available = this.available(item);
    if (available < quantity) return false;
    this.onShelf.set(item, available - quantity);
    this.reserved.set(orderNo, { item, quantity });
    return true;
  }

  /** Sold: what was set aside leaves the house. */
  sell(orderNo: string): void {
    this.reserved.delete(orderNo);
  }

  /** Puts back what was set aside. The reservation goes with it, so that a second call puts nothing back: false. */
  release(orderNo: string): boolean {
    const reservation = this.reserved.get(orderNo);
    if (reservation === undefined) return false;
    this.reserved.delete(orderNo);
    this.onShelf.set(reservation.item, this.available(reservation.item) + reservation.quantity);
    return true;
  }
}
