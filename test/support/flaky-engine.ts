import type {
  Claim,
  ClaimOptions,
  DelayEngine,
  Due,
  EngineFactory,
  EngineInspector,
  HintListener,
  PutMessage,
  PutOptions,
  Region,
  SettleOptions,
  Topology,
  TopologyProposal,
  Verdict,
} from '@delay-queue/core';
import { DelayQueueError } from '@delay-queue/core';

/** A call that can be made to fail. */
export type Method = 'topology' | 'put' | 'cancel' | 'reschedule' | 'claim' | 'settle' | 'renew';

/**
 * What happens to a call. `lose`: it is carried out, then its answer is lost. `stall`: it waits for `recover`.
 * `late`: it takes some turns of the event loop, before and after it is carried out.
 */
export type Trouble = 'away' | 'full' | 'lose' | 'stall' | 'late' | 'broken';

/** Decides, for each call, whether something happens to it. */
export type Plan = (method: Method, region: Region | undefined) => Trouble | undefined;

/** An engine that carries out every call, unless told otherwise; for tests of what faults do. */
export class FlakyEngine implements DelayEngine {
  /** Calls so far. */
  readonly calls: Record<Method, number> = {
    topology: 0,
    put: 0,
    cancel: 0,
    reschedule: 0,
    claim: 0,
    settle: 0,
    renew: 0,
  };
  /** The `max` of every claim, in order. */
  readonly claimed: number[] = [];
  /** What every settle carried, in order. */
  readonly settled: (readonly Verdict[])[] = [];
  /** Set: no hint arrives. */
  deaf = false;
  #plan: Plan | undefined;
  #resume: (() => void)[] = [];

  readonly inspector?: EngineInspector;

  constructor(private readonly inner: DelayEngine) {
    if (inner.inspector !== undefined) this.inspector = inner.inspector;
  }

  /** From now on `plan` decides, or all calls of `methods` meet `trouble`. */
  trouble(trouble: Trouble | Plan, ...methods: readonly Method[]): void {
    this.#plan =
      typeof trouble === 'function'
        ? trouble
        : (method) => (methods.length === 0 || methods.includes(method) ? trouble : undefined);
  }

  /** From now on all is well; stalled calls go on. */
  recover(): void {
    this.#plan = undefined;
    for (const resume of this.#resume.splice(0)) resume();
  }

  open = (): Promise<void> => this.inner.open();

  async close(): Promise<void> {
    this.recover();
    await this.inner.close();
  }

  topology(topic: string, proposal?: TopologyProposal): Promise<Topology> {
    return this.#meet('topology', undefined, () => this.inner.topology(topic, proposal));
  }

  put(region: Region, messages: readonly PutMessage[], options: PutOptions) {
    return this.#meet('put', region, () => this.inner.put(region, messages, options));
  }

  cancel(region: Region, ids: readonly string[], options: { readonly epoch: number }) {
    return this.#meet('cancel', region, () => this.inner.cancel(region, ids, options));
  }

  reschedule(region: Region, id: string, due: Due, options: { readonly epoch: number }) {
    return this.#meet('reschedule', region, () => this.inner.reschedule(region, id, due, options));
  }

  claim(region: Region, options: ClaimOptions): Promise<Claim> {
    this.claimed.push(options.max);
    return this.#meet('claim', region, () => this.inner.claim(region, options));
  }

  settle(region: Region, lease: string, verdicts: readonly Verdict[], options: SettleOptions) {
    this.settled.push(verdicts);
    return this.#meet('settle', region, () => this.inner.settle(region, lease, verdicts, options));
  }

  renew(region: Region, leases: readonly string[], leaseMs: number) {
    return this.#meet('renew', region, () => this.inner.renew(region, leases, leaseMs));
  }

  watch(listener: HintListener): () => void {
    return this.inner.watch((region, at) => {
      if (!this.deaf) listener(region, at);
    });
  }

  async #meet<T>(method: Method, region: Region | undefined, call: () => Promise<T>): Promise<T> {
    this.calls[method]++;
    const trouble = this.#plan?.(method, region);
    switch (trouble) {
      case 'away':
        throw new DelayQueueError('UNAVAILABLE', `${method}: the store is away`);
      case 'full':
        throw new DelayQueueError('OUT_OF_MEMORY', `${method}: the store is full`);
      case 'broken':
        throw new TypeError(`${method}: broken`);
      case 'lose':
        await call();
        throw new DelayQueueError('TIMEOUT', `${method}: no answer`, { mayBeStored: true });
      case 'stall':
        await new Promise<void>((resolve) => this.#resume.push(resolve));
        return call();
      case 'late': {
        await turns(1 + (this.calls[method] % 3));
        const answer = await call();
        await turns(1 + (this.calls[method] % 5));
        return answer;
      }
      case undefined:
        return call();
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes engines by `inner` and hands each one out wrapped. */
export function flaky(inner: EngineFactory, made: (engine: FlakyEngine) => void): EngineFactory {
  return (context) => {
    const engine = new FlakyEngine(inner(context));
    made(engine);
    return engine;
  };
}
