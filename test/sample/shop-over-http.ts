import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { VirtualClock, type EngineFactory } from '@delay-queue/nestjs';
import { memoryEngine } from '@delay-queue/memory';
import { AppModule } from '../../apps/order-timeout/src/app.module.js';
import { NoticeChannel } from '../../apps/order-timeout/src/notices/notice-channel.js';
import { StockService } from '../../apps/order-timeout/src/stock/stock.service.js';

/** Remembers notices instead of delivering them, and fails as often as it is told to. */
export class RecordingChannel extends NoticeChannel {
  readonly delivered: string[] = [];
  failures = 0;

  async deliver(orderNo: string): Promise<void> {
    if (this.failures-- > 0) throw new Error('the mail server does not answer');
    this.delivered.push(orderNo);
  }
}

/** An answer of the shop. */
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly outcome: string;
    readonly timer?: string;
    readonly code?: string;
    readonly order?: { readonly no: string; readonly status: string };
    readonly timeline?: readonly { readonly what: string; readonly lateMs?: number }[];
  };
}

/** The sample application, listening, with its messages in memory and its time in the test's hand. */
export class ShopOverHttp {
  private constructor(
    readonly clock: VirtualClock,
    readonly channel: RecordingChannel,
    readonly app: INestApplication,
    private readonly url: string,
  ) {}

  static async open(engine: EngineFactory = memoryEngine()): Promise<ShopOverHttp> {
    const clock = new VirtualClock();
    const channel = new RecordingChannel();
    const delayQueue = { engine, clock };
    const module = await Test.createTestingModule({
      imports: [AppModule.with({ delayQueue, orderTimeout: '30m', noticeChannel: channel })],
    }).compile();
    const app = module.createNestApplication({ logger: false });
    await app.listen(0, '127.0.0.1');
    return new ShopOverHttp(clock, channel, app, await app.getUrl());
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  get(path: string): Promise<Answer> {
    return this.ask(path);
  }

  /** Orders so many teas; returns the order's number. */
  async orderTea(quantity = 1): Promise<string> {
    const { body } = await this.post('/orders', { item: 'tea', quantity });
    if (body.order === undefined) throw new Error(`no order: ${body.outcome}`);
    return body.order.no;
  }

  /** What happened to an order. */
  async story(no: string): Promise<readonly string[]> {
    const { body } = await this.get(`/orders/${no}`);
    return (body.timeline ?? []).map(({ what }) => what);
  }

  tea(): number {
    return this.app.get(StockService).available('tea');
  }

  private async ask(path: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
}
