import { Injectable } from '@nestjs/common';
import { NoticeChannel } from './notice-channel.js';

/** Tells customers what became of their orders, each once. */
@Injectable()
export class NoticesService {
  private readonly delivered = new Map<string, Promise<void>>();

  constructor(private readonly channel: NoticeChannel) {}

  /**
   * Delivers a notice unless it was delivered, or is on its way. A real shop hands `orderNo` to the mail service as
   * the idempotency key instead. Rejects where the channel fails; the next call tries again.
   */
  async orderCancelled(orderNo: string): Promise<'delivered' | 'delivered before'> {
    const earlier = this.delivered.get(orderNo);
    if (earlier !== undefined) {
      await earlier;
      return 'delivered before';
    }
    const delivery = this.channel.deliver(orderNo, 'it was not paid in time and is cancelled');
    this.delivered.set(orderNo, delivery);
    delivery.catch(() => this.delivered.delete(orderNo));
    await delivery;
    return 'delivered';
  }
}
