import type { MessageState } from '@delay-queue/core';

/** One stored version of a message, as it lies in the store. */
export interface StoredVersion {
  readonly dueAt: number;
  readonly sentAt: number;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Everything that a region keeps about one id. `handled` stands for ids that are only in `seen`. */
export interface StoredId extends Partial<StoredVersion> {
  readonly state: MessageState;
  /** By what it is sorted: waiting: when it can be claimed; dead: when it died; handled: until when. Running: 0. */
  readonly at: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly crashes: number;
  /** The lease that holds it while it runs. */
  readonly lease?: string;
  /** The version that follows when the run is over. */
  readonly next?: StoredVersion;
  readonly reason?: string;
}

/** All that one region holds. */
export interface RegionSnapshot {
  readonly ids: ReadonlyMap<string, StoredId>;
  /** Every id that was handled → until when it is refused, also those whose time is over but which still lie there. */
  readonly seen: ReadonlyMap<string, number>;
  /** Lease → when it expires. */
  readonly leases: ReadonlyMap<string, number>;
  readonly paused: boolean;
  readonly epoch: number;
}

/** A raw reading of a store: what it holds, and where it breaks its own rules. */
export interface Snapshot {
  /** By `regionName(region)`; regions that hold nothing may be absent. */
  readonly regions: ReadonlyMap<string, RegionSnapshot>;
  /** Sentences, one per broken rule: an id in two states, an orphan, an undocumented key, a wrong score … */
  readonly violations: readonly string[];
}

/** A region that holds nothing. */
export const EMPTY_REGION: RegionSnapshot = {
  ids: new Map(),
  seen: new Map(),
  leases: new Map(),
  paused: false,
  epoch: 0,
};
