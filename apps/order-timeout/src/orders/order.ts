import type { CancelOutcome } from '@delay-queue/core';

/** An order: unpaid at first, then paid or cancelled, and that for good. */
export interface Order {
  readonly no: string;
  readonly item: string;
  readonly quantity: number;
  readonly status: 'unpaid' | 'paid' | 'cancelled';
}

/** What a customer asks for. */
export type OrderRequest = Pick<Order, 'item' | 'quantity'>;

/** What became of a request for an order. */
export type CreateOutcome =
  { readonly outcome: 'created'; readonly order: Order } | { readonly outcome: 'out-of-stock' };

/** What became of the timer of an order that needs it no more. */
export type TimerOutcome = CancelOutcome | 'unreachable';

/** What became of a payment. */
export type PayOutcome =
  | { readonly outcome: 'paid'; readonly timer: TimerOutcome }
  | { readonly outcome: 'already-paid' | 'too-late' | 'unknown-order' };

/** What a timeout found and did. */
export type TimeoutOutcome = 'cancelled' | 'cancelled-before' | 'already-paid' | 'unknown-order';
