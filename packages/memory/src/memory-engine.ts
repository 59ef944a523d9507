import type {
  CancelOutcome,
  Claim,
  ClaimOptions,
  DelayEngine,
  Due,
  EngineContext,
  EngineInspector,
  HintListener,
  Moved,
  PutMessage,
  PutOptions,
  PutOutcome,
  Region,
  RescheduleOutcome,
  Settled,
  SettleOptions,
  Topology,
  TopologyProposal,
  Verdict,
} from '@delay-queue/core';
import { DelayQueueError } from '@delay-queue/core';
import { dueTime } from './due-time.js';
import { nextTurn } from './next-turn.js';
import { MemoryInspector } from './memory-inspector.js';
import type { MemoryStore } from './memory-store.js';
import type { NamespaceState } from './namespace-state.js';
import { claimDue } from './region-claim.js';
import { cancelMessage, putMessage, rescheduleMessage } from './region-put.js';
import { settleVerdicts } from './region-settle.js';
import type { StoreClock } from './store-clock.js';

/** One worker on a `MemoryStore`: the `DelayEngine` contract, kept in this process. */
export class MemoryEngine implements DelayEngine {
  readonly inspector: EngineInspector;
  readonly #context: EngineContext;
  readonly #worker: string;
  readonly #clock: StoreClock;
  readonly #namespace: NamespaceState;
  readonly #unwatch = new Set<() => void>();
  #claims = 0;
  #closed = false;

  constructor(store: MemoryStore, context: EngineContext) {
    this.#context = context;
    this.#worker = store.nextWorker();
    this.#clock = store.clock(context.clock);
    this.#namespace = store.namespace(context.namespace, this.#clock);
    this.inspector = new MemoryInspector(() => this.#open(), this.#clock);
  }

  async open(): Promise<void> {
    this.#open();
  }

  /** What it holds stays held until the leases expire, as with a worker that died. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const unwatch of this.#unwatch) unwatch();
    this.#unwatch.clear();
  }

  async topology(topic: string, proposal?: TopologyProposal): Promise<Topology> {
    return this.#open().topology(topic, proposal);
  }

  async put(
    region: Region,
    messages: readonly PutMessage[],
    options: PutOptions,
  ): Promise<readonly PutOutcome[] | Moved> {
    const state = this.#open().region(region);
    if (state.meet(options.epoch) !== undefined) return 'moved';
    const now = this.#clock.ceil();
    state.waiting.advance(this.#clock.floor());
    return this.#namespace.hinting(region, () =>
      messages.map((message) => putMessage(state, message, now, options.onlyIfPresent ?? false)),
    );
  }

  async cancel(
    region: Region,
    ids: readonly string[],
    options: { readonly epoch: number },
  ): Promise<readonly CancelOutcome[] | Moved> {
    const state = this.#open().region(region);
    if (state.meet(options.epoch) !== undefined) return 'moved';
    const now = this.#clock.floor();
    return ids.map((id) => cancelMessage(state, id, now));
  }

  async reschedule(
    region: Region,
    id: string,
    due: Due,
    options: { readonly epoch: number },
  ): Promise<RescheduleOutcome | Moved> {
    const state = this.#open().region(region);
    if (state.meet(options.epoch) !== undefined) return 'moved';
    const now = this.#clock.ceil();
    return this.#namespace.hinting(region, () => rescheduleMessage(state, id, due, now));
  }

  /** Waits for the next turn of the event loop first: a drain of a million due messages lets I/O in between. */
  async claim(region: Region, options: ClaimOptions): Promise<Claim> {
    this.#open();
    await nextTurn();
    const state = this.#open().region(region);
    return claimDue(state, options, this.#clock.floor(), () => `${this.#worker}.${++this.#claims}`);
  }

  async settle(
    region: Region,
    lease: string,
    verdicts: readonly Verdict[],
    options: SettleOptions,
  ): Promise<Settled> {
    const state = this.#open().region(region);
    const now = this.#clock.ceil();
    return this.#namespace.hinting(region, () =>
      settleVerdicts(state, lease, verdicts, now, options.dedupeMs),
    );
  }

  async renew(region: Region, leases: readonly string[], leaseMs: number): Promise<readonly string[]> {
    const state = this.#open().region(region);
    const expiresAt = dueTime({ delayMs: leaseMs }, this.#clock.floor());
    return leases.filter((token) => {
      const lease = state.leases.get(token);
      if (lease !== undefined) state.leases.prolong(lease, expiresAt);
      return lease === undefined;
    });
  }

  watch(listener: HintListener): () => void {
    const stop = this.#open().hints.watch(listener, this.#context.logger);
    const unwatch = () => {
      stop();
      this.#unwatch.delete(unwatch);
    };
    this.#unwatch.add(unwatch);
    return unwatch;
  }

  #open(): NamespaceState {
    if (this.#closed) throw new DelayQueueError('CLOSED', 'the memory engine is closed');
    return this.#namespace;
  }
}
