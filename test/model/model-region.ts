import type {
  CancelOutcome,
  Due,
  MessageState,
  PutMessage,
  PutOutcome,
  RegionCounts,
  RescheduleOutcome,
  Settled,
  Verdict,
} from '@delay-queue/core';
import type { StoredVersion } from '../contract/support/snapshot.js';

/** One id in the model. Never changed in place, so that copies of a region can share them. */
export interface ModelId {
  readonly state: Exclude<MessageState, 'handled'>;
  /** When it can be claimed, or when it died; 0 while it runs. */
  readonly at: number;
  readonly version: StoredVersion;
  readonly deliveries: number;
  readonly failures: number;
  readonly crashes: number;
  readonly lease?: string;
  readonly next?: StoredVersion;
  readonly reason?: string;
}

/** Where the random moment of a suspect's return is read back from, and checked. */
export type ReadSpread = (id: string, from: number, to: number) => number;

/**
 * What one region must hold, in the plainest form: a map of ids, a map of leases, a map of handled ids. No
 * sorting, no keys, no scripts; every rule of `DelayEngine` is written out once.
 */
export class ModelRegion {
  ids = new Map<string, ModelId>();
  leases = new Map<string, number>();
  seen = new Map<string, number>();
  paused = false;
  epoch = 0;

  clone(): ModelRegion {
    const copy = new ModelRegion();
    copy.ids = new Map(this.ids);
    copy.leases = new Map(this.leases);
    copy.seen = new Map(this.seen);
    copy.paused = this.paused;
    copy.epoch = this.epoch;
    return copy;
  }

  /** Whether a call with that epoch is answered `moved`; adopts a newer one. */
  moved(epoch: number): boolean {
    if (epoch < this.epoch) return true;
    this.epoch = epoch;
    return false;
  }

  stateOf(id: string, now: number): MessageState | undefined {
    return this.ids.get(id)?.state ?? ((this.seen.get(id) ?? 0) > now ? 'handled' : undefined);
  }

  /** @param room whether one more message fits into the store */
  put(message: PutMessage, now: number, onlyIfPresent: boolean, room: () => boolean): PutOutcome {
    const { id } = message;
    const state = this.stateOf(id, now);
    if (onlyIfPresent && state === undefined) return { outcome: 'absent' };
    if (state === 'handled' || (state !== undefined && message.onDuplicate === 'keep')) {
      return { outcome: 'duplicate', state };
    }
    const version = {
      dueAt: dueAt(message.due, now),
      sentAt: now,
      content: message.content,
      headers: message.headers ?? {},
    };
    const found = this.ids.get(id);
    if (found?.state === 'running') {
      if (found.next === undefined && !room()) return { outcome: 'refused' };
      this.ids.set(id, { ...found, next: version });
      return { outcome: 'queued' };
    }
    if (found === undefined && !room()) return { outcome: 'refused' };
    this.ids.set(id, fresh(version));
    return { outcome: found === undefined ? 'stored' : 'replaced' };
  }

  cancel(id: string, now: number): CancelOutcome {
    const state = this.stateOf(id, now);
    const found = this.ids.get(id);
    if (state === 'waiting') this.ids.delete(id);
    if (state === 'running' && found !== undefined) {
      const { next: _, ...rest } = found;
      this.ids.set(id, rest);
    }
    return state === 'waiting' ? 'cancelled' : (state ?? 'unknown');
  }

  reschedule(id: string, due: Due, now: number): RescheduleOutcome {
    const found = this.ids.get(id);
    const at = dueAt(due, now);
    if (found?.state === 'waiting') {
      this.ids.set(id, { ...found, at, version: { ...found.version, dueAt: at } });
      return 'rescheduled';
    }
    if (found?.next !== undefined) {
      this.ids.set(id, { ...found, next: { ...found.next, dueAt: at } });
      return 'rescheduled';
    }
    const state = this.stateOf(id, now);
    return state === undefined || state === 'waiting' ? 'unknown' : state;
  }

  settle(lease: string, verdicts: readonly Verdict[], now: number, dedupeMs: number): Settled {
    const stale: string[] = [];
    const superseded: string[] = [];
    let madeDue = false;
    for (const verdict of verdicts) {
      const found = this.ids.get(verdict.id);
      if (found?.lease !== lease) {
        stale.push(verdict.id);
      } else if (found.next !== undefined) {
        this.ids.set(verdict.id, fresh(found.next));
        if (verdict.verdict !== 'done') superseded.push(verdict.id);
        madeDue = true;
      } else {
        madeDue = this.apply(verdict, found, now, dedupeMs) || madeDue;
      }
    }
    this.dropEmptyLeases();
    return { stale, superseded, ...(madeDue ? { lookAt: this.earliest() } : undefined) };
  }

  /** Prolongs what is there; returns what is not. */
  renew(leases: readonly string[], until: number): readonly string[] {
    const lost = leases.filter((lease) => !this.leases.has(lease));
    for (const lease of leases) if (this.leases.has(lease)) this.leases.set(lease, until);
    return lost;
  }

  /** The lease's claim never reached anybody: all is as it was before it. */
  giveBack(lease: string): void {
    for (const [id, { lease: holder, next, ...found }] of this.ids) {
      if (holder !== lease) continue;
      this.ids.set(
        id,
        next === undefined ? { ...found, state: 'waiting', at: found.version.dueAt } : fresh(next),
      );
    }
    this.leases.delete(lease);
  }

  /** The lease has expired; returns ids that came back and ids that died of it. */
  recover(lease: string, now: number, maxCrashes: number, spread: ReadSpread): Recovery {
    const recovery: Recovery = { back: [], dead: [] };
    for (const [id, { lease: holder, next, ...found }] of this.ids) {
      if (holder !== lease) continue;
      const counts = { deliveries: found.deliveries + 1, crashes: found.crashes + 1 };
      if (next !== undefined) {
        this.ids.set(id, fresh(next));
      } else if (counts.crashes > maxCrashes) {
        this.ids.set(id, { ...found, ...counts, state: 'dead', at: now, reason: ANY_REASON });
        recovery.dead.push(id);
        continue;
      } else {
        const at = counts.crashes < 2 ? now : spread(id, now, now + 2_000 * counts.crashes);
        this.ids.set(id, { ...found, ...counts, state: 'waiting', at });
      }
      recovery.back.push(id);
    }
    this.leases.delete(lease);
    return recovery;
  }

  redrive(id: string, now: number): boolean {
    const found = this.ids.get(id);
    if (found?.state !== 'dead') return false;
    this.ids.set(id, { ...fresh({ ...found.version, dueAt: now }), deliveries: found.deliveries });
    return true;
  }

  discard(id: string): boolean {
    return this.ids.get(id)?.state === 'dead' && this.ids.delete(id);
  }

  counts(now: number): RegionCounts {
    const all = [...this.ids.values()];
    const of = (state: MessageState) => all.filter((each) => each.state === state);
    return {
      waiting: of('waiting').length,
      due: of('waiting').filter(({ at }) => at <= now).length,
      running: of('running').length,
      dead: of('dead').length,
    };
  }

  /** Messages that count for a store's limit. */
  get size(): number {
    return [...this.ids.values()].reduce((sum, { next }) => sum + (next === undefined ? 1 : 2), 0);
  }

  /** What can be claimed at `now`, the earliest first. */
  due(now: number): readonly (readonly [string, ModelId])[] {
    return [...this.ids]
      .filter(([, { state, at }]) => state === 'waiting' && at <= now)
      .sort(([, a], [, b]) => a.at - b.at);
  }

  /** When the first waiting message can be claimed. */
  earliest(): number {
    return Math.min(...[...this.ids.values()].filter(({ state }) => state === 'waiting').map(({ at }) => at));
  }

  private apply(verdict: Verdict, { lease: _, ...found }: ModelId, now: number, dedupeMs: number): boolean {
    const counted = (failed: boolean) => ({
      deliveries: found.deliveries + 1,
      failures: found.failures + (failed ? 1 : 0),
    });
    switch (verdict.verdict) {
      case 'done':
        this.ids.delete(verdict.id);
        if (dedupeMs > 0) this.seen.set(verdict.id, now + dedupeMs);
        return false;
      case 'dead':
        this.ids.set(verdict.id, {
          ...found,
          ...counted(verdict.failed),
          state: 'dead',
          at: now,
          reason: verdict.reason,
        });
        return false;
      case 'retry': {
        const at = now + verdict.delayMs;
        const version = { ...found.version, dueAt: at };
        this.ids.set(verdict.id, { ...found, ...counted(verdict.failed), version, state: 'waiting', at });
        return true;
      }
      case 'release': {
        const at = verdict.delayMs === undefined ? found.version.dueAt : now + verdict.delayMs;
        const counts = verdict.started ? counted(false) : {};
        this.ids.set(verdict.id, { ...found, ...counts, state: 'waiting', at });
        return true;
      }
    }
  }

  private dropEmptyLeases(): void {
    const held = new Set([...this.ids.values()].map(({ lease }) => lease));
    for (const lease of this.leases.keys()) if (!held.has(lease)) this.leases.delete(lease);
  }
}

/** What a recovery did. */
export interface Recovery {
  readonly back: string[];
  readonly dead: string[];
}

/** Stands for whatever reason the engine writes for a message that crashed too often. */
export const ANY_REASON = Symbol('any reason').toString();

const dueAt = (due: Due, now: number): number => ('at' in due ? Math.max(due.at, now) : now + due.delayMs);

const fresh = (version: StoredVersion): ModelId => ({
  state: 'waiting',
  at: version.dueAt,
  version,
  deliveries: 0,
  failures: 0,
  crashes: 0,
});
