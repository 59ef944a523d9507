import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ORDER_TIMEOUT } from '../orders/order-timeout.js';
import type { Shop } from './shop.js';
import { waitUntil } from './wait-until.js';

/** How long orders may stay unpaid in the demo. */
export const ORDER_TIMEOUT_MS = 2_000;

/** One course that an order can take. */
export interface Scene {
  readonly title: string;
  /** Plays it up to where only the delay queue goes on; returns the order's number. */
  play(shop: Shop): Promise<string>;
  /** What the order's timeline must be in the end, no more and no less. */
  readonly story: readonly string[];
}

const CANCELLED = ['stock released', 'customer told', 'cancelled'];

/** All scenes are played at once. */
export const SCENES: readonly Scene[] = [
  {
    title: 'nobody pays',
    play: (shop) => shop.orderTea(),
    story: ['created', 'time is up, attempt 1', ...CANCELLED],
  },
  {
    title: 'paid in time',
    async play(shop) {
      const no = await shop.orderTea();
      await sleep(ORDER_TIMEOUT_MS / 2);
      await shop.orders.pay(no);
      return no;
    },
    story: ['created', 'paid', 'timer: cancelled'],
  },
  {
    title: 'paid too late',
    async play(shop) {
      const no = await shop.orderTea();
      await waitUntil(() => shop.story(no).includes('cancelled'), 2 * ORDER_TIMEOUT_MS);
      await shop.orders.pay(no);
      return no;
    },
    story: ['created', 'time is up, attempt 1', ...CANCELLED, 'payment refused: too late'],
  },
  {
    title: 'message without an order',
    async play(shop) {
      const no = `none-${randomUUID().slice(0, 8)}`;
      await shop.delayQueue.send(ORDER_TIMEOUT, no, ORDER_TIMEOUT_MS, { id: no });
      return no;
    },
    story: ['time is up, attempt 1', 'unknown-order'],
  },
  {
    title: 'paid, but the timer was not stopped',
    async play(shop) {
      const no = await shop.orderTea();
      await sleep(ORDER_TIMEOUT_MS / 2);
      shop.orders.recordPayment(no); // as if the process had ended here, before it could stop the timer
      return no;
    },
    story: ['created', 'paid', 'time is up, attempt 1', 'already-paid'],
  },
  {
    title: 'the handler fails once',
    async play(shop) {
      const no = await shop.orderTea();
      shop.channel.failOnceFor(no);
      return no;
    },
    story: [
      'created',
      'time is up, attempt 1',
      'stock released',
      'time is up, attempt 2',
      'customer told',
      'cancelled-before',
    ],
  },
  {
    title: 'the message comes twice',
    async play(shop) {
      const no = await shop.orderTea();
      await shop.delayQueue.send(ORDER_TIMEOUT, no, 1.5 * ORDER_TIMEOUT_MS, { id: `${no}:copy` });
      return no;
    },
    story: ['created', 'time is up, attempt 1', ...CANCELLED, 'time is up, attempt 1', 'cancelled-before'],
  },
];
