import { Injectable, Logger } from '@nestjs/common';

/** The way to the customer: mail, push … It may fail, and says so by rejecting. */
export abstract class NoticeChannel {
  abstract deliver(orderNo: string, text: string): Promise<void>;
}

/** Writes notices to the log. */
@Injectable()
export class LogNoticeChannel extends NoticeChannel {
  private readonly logger = new Logger('Notice');

  async deliver(orderNo: string, text: string): Promise<void> {
    this.logger.log(`to the customer of ${orderNo}: ${text}`);
  }
}
