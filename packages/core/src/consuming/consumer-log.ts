import type { EngineHealth } from '../engine-health.js';
import type { Logger } from '../logger.js';
import type { Delivery } from './delivery.js';
import type { Lease } from './lease.js';
import { reasonText, stackText } from '../reason-text.js';

/**
 * What a consumer queue reports: one sentence with the numbers beside it, as an object. Nothing thrown by a
 * logger gets past here.
 */
export class ConsumerLog {
  readonly #failing = new Set<string>();
  #toldUnreadable = false;

  constructor(
    private readonly topic: string,
    private readonly logger: Logger,
    private readonly health: EngineHealth,
  ) {}

  /** A handler failed and its message will be tried again after `delayMs`. Not for `RetryLater`: it is no failure. */
  retrying(delivery: Delivery, now: number, reason: string, error: unknown, delayMs: number): void {
    const details = {
      ...this.#about(delivery, now),
      error: reason,
      retryInMs: delayMs,
      stack: stackText(error),
    };
    this.#safely(() => this.logger.warn('A delayed message failed and will be tried again', details));
  }

  /** A message will not be tried again. */
  deadLettered(delivery: Delivery, now: number, reason: string, error?: unknown): void {
    const details = { ...this.#about(delivery, now), error: reason, stack: stackText(error) };
    this.#safely(() => this.logger.error('A delayed message became a dead letter', details));
  }

  /** The store gave messages to others before this process was done with them. Said once per lease. */
  lostLease(lease: Lease, ids: readonly string[]): void {
    if (lease.reported) return;
    lease.reported = true;
    const details = { topic: this.topic, region: lease.index, ids: ids.slice(0, 10), count: ids.length };
    this.#safely(() =>
      this.logger.warn(
        'A lease was lost before its messages were settled: they may run again, and what became of them here does not count',
        details,
      ),
    );
  }

  /** The engine made dead letters while it looked for due messages. */
  died(index: number, dead: readonly { readonly id: string; readonly reason: string }[]): void {
    for (const { id, reason } of dead) {
      const details = { topic: this.topic, region: index, id, error: reason };
      this.#safely(() => this.logger.error('A delayed message became a dead letter', details));
    }
  }

  /** Messages of workers that died were given back. */
  recovered(index: number, count: number): void {
    const details = { topic: this.topic, region: index, count };
    this.#safely(() => this.logger.warn('Messages of a lost lease are due again', details));
  }

  /** Failures of messages that a newer version with the same id has replaced meanwhile. */
  superseded(index: number, ids: readonly string[]): void {
    const details = { topic: this.topic, region: index, ids: ids.slice(0, 10), count: ids.length };
    this.#safely(() => this.logger.log('Failed messages were dropped: newer ones took their place', details));
  }

  /** Messages written by a newer version, in a form this one cannot read. Said once. */
  unreadable(index: number, ids: readonly string[], delayMs: number): void {
    if (this.#toldUnreadable) return;
    this.#toldUnreadable = true;
    const details = { topic: this.topic, region: index, ids: ids.slice(0, 10), count: ids.length };
    this.#safely(() =>
      this.logger.warn(
        `Messages are in a form that only a newer version can read: they are given back every ${delayMs} ms until one takes them`,
        details,
      ),
    );
  }

  /** Something in the queue itself went wrong; it goes on. */
  fault(error: unknown): void {
    const details = { topic: this.topic, error: reasonText(error), stack: stackText(error) };
    this.#safely(() => this.logger.error('Consuming met an unexpected error and goes on', details));
  }

  /** Part of the work with the store fails. `EngineHealth` decides whether that is news. */
  failed(part: string, error: unknown): void {
    this.#failing.add(part);
    this.#safely(() => this.health.failed(this.#part(part), error));
  }

  /** That part works. */
  ok(part: string): void {
    if (this.#failing.delete(part)) this.#safely(() => this.health.ok(this.#part(part)));
  }

  /** Nothing is tried any more. */
  leave(): void {
    for (const part of this.#failing) this.#safely(() => this.health.idle(this.#part(part)));
    this.#failing.clear();
  }

  #part(part: string): string {
    return `consuming ${this.topic}${part}`;
  }

  #about(delivery: Delivery, now: number) {
    const { claimed, lease } = delivery;
    return {
      topic: this.topic,
      id: claimed.id,
      attempt: claimed.deliveries + 1,
      latenessMs: Math.round(lease.latenessAt(now, claimed.dueAt)),
    };
  }

  #safely(write: () => void): void {
    try {
      write();
    } catch {
      // A logger that throws has nowhere left to say so.
    }
  }
}
