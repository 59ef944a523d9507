import type { Clock, SimulationMember } from './clock.js';
import type { Codec } from './codec.js';
import { AsyncScope } from './async-scope.js';
import { ConsumerLog } from './consuming/consumer-log.js';
import type { Consuming } from './consuming/consuming.js';
import { Dispatcher } from './consuming/dispatcher.js';
import { HandlerRuns, type Handler } from './consuming/handler-runs.js';
import { Lease } from './consuming/lease.js';
import { LinkedList } from './consuming/linked-list.js';
import { LeaseKeeper } from './consuming/lease-keeper.js';
import { Looker } from './consuming/looker.js';
import { ReplyLimit } from './consuming/reply-limit.js';
import { Settler } from './consuming/settler.js';
import { LAST_WORDS_MS } from './last-words.js';
import { Turns } from './turns.js';
import type { ConsumerProperties } from './delay-queue-properties.js';
import type { EngineHealth } from './engine-health.js';
import type { Claim, DelayEngine } from './engine.js';
import type { Logger } from './logger.js';
import type { TopicRegistry } from './topic-registry.js';

export type { Handler } from './consuming/handler-runs.js';

/** What a consumer queue works with; all of it is shared with the other queues of its instance. */
export interface ConsumerQueueDeps {
  readonly engine: DelayEngine;
  readonly registry: TopicRegistry;
  readonly health: EngineHealth;
  readonly clock: Clock;
  readonly codec: Codec;
  readonly logger: Logger;
}

/** Messages in a form this version cannot read are offered to others, and to a newer one, this often. */
const UNREADABLE_MS = 30_000;
/** A simulated clock does not move while handlers are waited for, so draining does not wait long either. */
const SIMULATED_DRAIN_MS = 1_000;

/**
 * The consuming side of one topic: looks for due messages in all its regions, runs the handler, settles.
 *
 * ```
 * new ──start──► started ──drain──► draining ──► drained      drain before start: drained at once
 * ```
 *
 * Its parts: `Looker` (when to look, claims), `Dispatcher` (slots and queue), `HandlerRuns`, `Settler` (verdicts), `LeaseKeeper`
 * (renewals). They meet at the end of each turn of the event loop: first verdicts go out, then slots are filled,
 * then regions are looked at, so the store gets them in that order.
 */
export class DelayConsumerQueue implements SimulationMember {
  readonly #leases = new LinkedList<Lease>();
  readonly #shared: Consuming;
  readonly #turns: Turns;
  readonly #settler: Settler;
  readonly #runs: HandlerRuns;
  readonly #dispatcher: Dispatcher;
  readonly #keeper: LeaseKeeper;
  readonly #looker: Looker;
  #started = false;
  #closed = false;
  #draining: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  #claimed = 0;

  constructor(
    readonly topic: string,
    handler: Handler,
    private readonly properties: ConsumerProperties,
    private readonly deps: ConsumerQueueDeps,
  ) {
    const { engine, clock, registry } = deps;
    const scope = new AsyncScope();
    const log = new ConsumerLog(topic, deps.logger, deps.health);
    this.#turns = new Turns(scope, () => this.#endTurn());
    const shared: Consuming = {
      topic,
      properties,
      engine,
      clock,
      log,
      scope,
      replies: new ReplyLimit(properties.leaseMs),
      wake: () => this.#turns.wake(),
    };
    this.#shared = shared;
    this.#settler = new Settler(shared, this.#leases, (index, at) => this.#looker.hint(index, at));
    this.#runs = new HandlerRuns(handler, deps.codec, shared, this.#settler, (tookMs) =>
      this.#dispatcher.freed(tookMs),
    );
    this.#dispatcher = new Dispatcher(shared, this.#runs, this.#settler, () => this.#looker.claims > 0);
    this.#keeper = new LeaseKeeper(
      shared,
      this.#leases,
      (lease) => this.#revoke(lease),
      (lease) => this.#lost(lease),
    );
    const clogAt = Math.max(1_000, 4 * (properties.concurrency + properties.queueSize));
    this.#looker = new Looker(shared, registry, {
      held: () => this.#dispatcher.held,
      room: () => this.#dispatcher.room,
      clogged: () => this.#settler.unsettled >= clogAt || this.#dispatcher.hesitates,
      claimed: (index, claim, askedAt) => this.#accept(index, claim, askedAt),
      paused: () => this.#dispatcher.release(),
    });
  }

  /** Starts consuming. Idempotent; never fails, and keeps trying while the store is away. */
  start(): void {
    if (this.#started || this.#draining !== undefined) return;
    this.#started = true;
    this.#leave = this.deps.clock.simulation?.join(this);
    this.#shared.scope.run(() => this.#looker.open());
  }

  /**
   * Stops claiming at once and gives back what has not started; waits `drainMs` for running handlers, then aborts
   * their signals and gives their messages back too. Resolves when the store knows, at the latest half a second
   * after `drainMs`, whatever state it is in; leaves no timers. Never rejects. Idempotent and shared.
   */
  drain(): Promise<void> {
    this.#draining ??= this.#shared.scope.run(() => this.#drain());
    return this.#draining;
  }

  /** Region `index` may have something due at `at` (epoch milliseconds, the store's clock). */
  hint(index: number, at: number): void {
    if (!this.#started || this.#draining !== undefined) return;
    this.#shared.scope.run(() => this.#looker.hint(index, at));
    this.#turns.wake();
  }

  /** Messages claimed and deliveries ended so far; see `SimulationMember`. */
  get activity(): number {
    return this.#claimed + this.#runs.ended;
  }

  /** See `SimulationMember`. */
  async settle(patienceMs: number): Promise<boolean> {
    if (!this.#started || this.#closed) return true;
    this.#shared.scope.run(() => this.#looker.force());
    this.#settler.force();
    for (;;) {
      const before = this.activity;
      if (await this.#turns.until(() => this.#quiet, patienceMs)) return true;
      if (this.#closed) return true;
      if (this.activity === before) break;
    }
    this.#runs.markHung();
    return false;
  }

  get #quiet(): boolean {
    return !this.#turns.awake && this.#runs.lively === 0 && this.#settler.quiet && this.#looker.quiet;
  }

  #endTurn(): void {
    try {
      this.#settler.flush();
      this.#dispatcher.turn();
      this.#looker.look();
    } catch (error) {
      this.#shared.log.fault(error);
    }
  }

  #accept(index: number, claim: Claim, askedAt: number): void {
    const { log, clock } = this.#shared;
    if (claim.recovered > 0) log.recovered(index, claim.recovered);
    log.died(index, claim.dead);
    if (claim.lease === undefined) return;
    const size = claim.messages.length + claim.unreadable.length;
    const now = clock.monotonic();
    const lease = new Lease(claim.lease, index, size, askedAt, this.properties.leaseMs, claim.now, now);
    if (this.#closed) return this.#returnLate(lease, claim);
    this.#claimed += size;
    this.#leases.add(lease);
    this.#keeper.added(lease);
    if (claim.unreadable.length > 0) {
      log.unreadable(index, claim.unreadable, UNREADABLE_MS);
      for (const id of claim.unreadable) {
        this.#settler.add(lease, { id, verdict: 'release', started: false, delayMs: UNREADABLE_MS });
      }
    }
    this.#dispatcher.accept(lease, claim.messages);
    // First the next claim, so that the store works on it while the handlers run.
    this.#looker.look();
    this.#dispatcher.fill();
  }

  /** A claim that was answered after the drain had given up on it. */
  #returnLate(lease: Lease, claim: Claim): void {
    const ids = [...claim.messages.map(({ id }) => id), ...claim.unreadable];
    const verdicts = ids.map((id) => ({ id, verdict: 'release', started: false }) as const);
    const region = { topic: this.topic, index: lease.index };
    this.deps.engine.settle(region, lease.token, verdicts, { dedupeMs: 0 }).catch(() => {
      // Then the lease runs out.
    });
  }

  /** Nothing more of it starts here, and what runs is told. */
  #revoke(lease: Lease): void {
    this.#dispatcher.release(lease);
    this.#runs.revoke(lease);
  }

  #lost(lease: Lease): void {
    const running = lease.deliveries.filter(({ state }) => state === 'running');
    const ids = running.map(({ claimed }) => claimed.id);
    if (!lease.doubtful) for (const { id } of lease.pending) ids.push(id);
    this.#settler.lose(lease);
    this.#revoke(lease);
    if (ids.length > 0) this.#shared.log.lostLease(lease, ids);
  }

  async #drain(): Promise<void> {
    this.#looker.stop();
    this.#dispatcher.stop();
    if (this.#started) {
      const { clock } = this.deps;
      const { drainMs } = this.properties;
      const patienceMs = clock.simulation ? Math.min(drainMs, SIMULATED_DRAIN_MS) : drainMs;
      const handlersEnd = clock.monotonic() + patienceMs;
      await this.#turns.until(() => this.#runs.size === 0, patienceMs);
      this.#runs.abandon();
      this.#settler.hurry();
      const known = () => this.#settler.unsettled === 0 && this.#looker.claims === 0;
      // What the handlers left of their time is there for their verdicts.
      const leftMs = Math.max(0, handlersEnd - clock.monotonic());
      await this.#turns.until(known, leftMs + LAST_WORDS_MS);
    }
    this.#closed = true;
    this.#keeper.close();
    this.#settler.close();
    this.#dispatcher.close();
    this.#runs.close();
    this.#shared.replies.close();
    this.#shared.log.leave();
    this.#leave?.();
  }
}
