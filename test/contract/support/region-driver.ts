import type {
  CancelOutcome,
  Claim,
  ClaimedMessage,
  ClaimOptions,
  DelayEngine,
  Due,
  Moved,
  PutMessage,
  PutOutcome,
  Region,
  RescheduleOutcome,
  Settled,
  Verdict,
} from '@delay-queue/core';

/** The lease of claims that ask for no other. */
export const LEASE_MS = 30_000;

/** What a put of the suites may differ in. */
export type PutExtras = Partial<Omit<PutMessage, 'id' | 'due'>>;

/** A worker on one region, with short forms of the calls that the suites make most. */
export class RegionDriver {
  constructor(
    readonly engine: DelayEngine,
    readonly region: Region,
    readonly epoch = 1,
  ) {}

  /** Puts one message, due in `due` ms or as given. */
  async put(id: string, due: number | Due = 0, extras: PutExtras = {}): Promise<PutOutcome | Moved> {
    const outcomes = await this.putAll([message(id, due, extras)]);
    return outcomes === 'moved' ? outcomes : only(outcomes);
  }

  putAll(messages: readonly PutMessage[], onlyIfPresent = false): Promise<readonly PutOutcome[] | Moved> {
    return this.engine.put(this.region, messages, { epoch: this.epoch, onlyIfPresent });
  }

  async cancel(id: string): Promise<CancelOutcome | Moved> {
    const outcomes = await this.engine.cancel(this.region, [id], { epoch: this.epoch });
    return outcomes === 'moved' ? outcomes : only(outcomes);
  }

  reschedule(id: string, due: number | Due): Promise<RescheduleOutcome | Moved> {
    return this.engine.reschedule(this.region, id, asDue(due), { epoch: this.epoch });
  }

  claim(max = 100, options: Partial<ClaimOptions> = {}): Promise<Claim> {
    return this.engine.claim(this.region, { max, leaseMs: LEASE_MS, maxCrashes: 5, ...options });
  }

  /** A claim that must find something; its lease and messages. */
  async take(max = 100, options: Partial<ClaimOptions> = {}): Promise<Taken> {
    const claim = await this.claim(max, options);
    if (claim.lease === undefined)
      throw new Error(`nothing to claim at ${claim.now} (paused: ${claim.paused})`);
    return { lease: claim.lease, messages: claim.messages };
  }

  /** A claim that must find exactly one message. */
  async takeOne(options: Partial<ClaimOptions> = {}): Promise<{ lease: string; message: ClaimedMessage }> {
    const { lease, messages } = await this.take(2, options);
    return { lease, message: only(messages) };
  }

  settle(lease: string, verdicts: readonly Verdict[], dedupeMs = 0): Promise<Settled> {
    return this.engine.settle(this.region, lease, verdicts, { dedupeMs });
  }

  done(lease: string, ...ids: readonly string[]): Promise<Settled> {
    return this.settle(
      lease,
      ids.map((id) => ({ id, verdict: 'done' })),
    );
  }

  renew(leases: readonly string[], leaseMs = LEASE_MS): Promise<readonly string[]> {
    return this.engine.renew(this.region, leases, leaseMs);
  }
}

/** What a claim took. */
export interface Taken {
  readonly lease: string;
  readonly messages: readonly ClaimedMessage[];
}

/** A message with everything a put needs. */
export const message = (id: string, due: number | Due = 0, extras: PutExtras = {}): PutMessage => ({
  id,
  due: asDue(due),
  content: JSON.stringify(`content of ${id}`),
  onDuplicate: 'keep',
  ...extras,
});

/** The single element of a list. */
export function only<T>(list: readonly T[]): T {
  const [first, second] = list;
  if (first === undefined || second !== undefined)
    throw new Error(`expected one element, got ${list.length}`);
  return first;
}

const asDue = (due: number | Due): Due => (typeof due === 'number' ? { delayMs: due } : due);
