import type { Clock } from '../clock.js';
import type { DelayMessage } from '../message.js';
import type { Delivery } from './delivery.js';

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** The message a handler gets. Plain fields, except for the signal, which is made when it is first read. */
export class DeliveredMessage implements DelayMessage {
  readonly id: string;
  readonly content: unknown;
  readonly dueAt: number;
  readonly sentAt: number;
  readonly attempt: number;
  readonly failures: number;
  readonly crashes: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #delivery: Delivery;
  readonly #clock: Clock;

  constructor(
    readonly topic: string,
    content: unknown,
    delivery: Delivery,
    clock: Clock,
  ) {
    const { claimed } = delivery;
    this.id = claimed.id;
    this.content = content;
    this.dueAt = claimed.dueAt;
    this.sentAt = claimed.sentAt;
    this.attempt = claimed.deliveries + 1;
    this.failures = claimed.failures;
    this.crashes = claimed.crashes;
    this.headers = claimed.headers ?? NO_HEADERS;
    this.#delivery = delivery;
    this.#clock = clock;
  }

  /** A handler that lets no timer of its process through learns here that its lease is over. */
  get signal(): AbortSignal {
    const { state, lease } = this.#delivery;
    if (state === 'running' && lease.overAt(this.#clock.monotonic())) this.#delivery.abort('lease-expired');
    return this.#delivery.signal;
  }
}
