import { Injectable, Logger } from '@nestjs/common';

/** One thing that happened to an order. */
export interface TimelineEntry {
  readonly at: Date;
  readonly what: string;
  /** How long after the message was due its handler started, for entries about that. Milliseconds. */
  readonly lateMs?: number;
}

/** What happened to each order, in order: for the log, for `GET /orders/:no`, and for the demo to check. */
@Injectable()
export class Timeline {
  private readonly logger = new Logger('Order');
  private readonly entries = new Map<string, readonly TimelineEntry[]>();

  add(orderNo: string, what: string, detail: Pick<TimelineEntry, 'lateMs'> = {}): void {
    const entries = this.of(orderNo);
    this.entries.set(orderNo, [...entries, { at: new Date(), what, ...detail }]);
    this.logger.log(`${orderNo}: ${what}`);
  }

  of(orderNo: string): readonly TimelineEntry[] {
    return this.entries.get(orderNo) ?? [];
  }
}
