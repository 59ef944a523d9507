import { Logger } from '@nestjs/common';
import { NoticeChannel } from '../notices/notice-channel.js';

/** A way to the customer that breaks once for the orders it is told to. */
export class FailingChannel extends NoticeChannel {
  private readonly logger = new Logger('Notice');
  private readonly failing = new Set<string>();

  failOnceFor(orderNo: string): void {
    this.failing.add(orderNo);
  }

  async deliver(orderNo: string, text: string): Promise<void> {
    if (this.failing.delete(orderNo)) throw new Error('the mail server does not answer');
    this.logger.log(`to the customer of ${orderNo}: ${text}`);
  }
}
