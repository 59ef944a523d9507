import type { Clock } from './clock.js';
import type { Logger } from './logger.js';

/*
 * The seam between policy (core) and storage (an engine). Types only.
 *
 * Pull, not push: an engine is a plain store that answers one call at a time, so everything about *when* to
 * look, what to run and what became of it lives in core, once, under a clock that tests can move.
 *
 * All times are epoch milliseconds by the engine's own ("server's") clock and are named `…At`; all durations
 * are milliseconds and are named `…Ms`. Under a simulated clock (`context.clock.simulation` present) the
 * server's clock is `context.clock.now()`.
 *
 * How a call fails is part of the contract. It rejects with a `DelayQueueError` whose code is
 * - `UNAVAILABLE`, `OUT_OF_MEMORY`, `READ_ONLY`: nothing was done, the call may be repeated;
 * - `TIMEOUT` with `mayBeStored: true`: the answer was lost, the call may or may not have been carried out;
 * - `CLOSED`: the engine is closed;
 * - anything else: a fault that repeating does not cure.
 */

/** Makes one engine, that is one worker with an id of its own. Called once per delay queue instance. */
export type EngineFactory = (context: EngineContext) => DelayEngine;

/** What an engine gets from its delay queue. */
export interface EngineContext {
  /** Keeps several delay queues on one store apart: no `:`, no braces. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** One isolation region: a partition of a topic. */
export interface Region {
  readonly topic: string;
  /** 0-based. The region of an index is the same one whatever the region count is. */
  readonly index: number;
}

/** What the registry knows of a topic. */
export interface Topology {
  /** Grows by one with each change of `counts`; 0 while the topic is unknown. */
  readonly epoch: number;
  /** The region counts ever used, each once, in order of their last use; the last one is in force. Empty while unknown. */
  readonly counts: readonly number[];
  /** Name of the selector that placed the topic's messages; absent while unknown. */
  readonly selector?: string;
  readonly paused: boolean;
}

/** A proposal to the registry: compare and set on the epoch. */
export interface TopologyProposal {
  /** Put in force, unless the registry's epoch is not `expectedEpoch` any more. */
  readonly regions: number;
  readonly selector: string;
  /** What the proposer last read; 0 for an unknown topic. */
  readonly expectedEpoch: number;
  /**
   * Counts the proposer saw earlier, put before `regions` where the registry (after a failover) lost them.
   * @default none
   */
  readonly former?: readonly number[];
  /** The new epoch is greater than this one too, so that an epoch lost in a failover is never issued twice. @default 0 */
  readonly minEpoch?: number;
}

/** When a message is due: so long after the server's now, or at a moment. A moment in the past is due now. */
export type Due = { readonly delayMs: number } | { readonly at: number };

/** A message to be stored. */
export interface PutMessage {
  readonly id: string;
  readonly due: Due;
  /** Encoded content. Engines neither read nor change it. */
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a stored message of the same id means: it stays, or this one takes its place. */
  readonly onDuplicate: 'keep' | 'replace';
}

/** The states in which an id can be found. */
export type MessageState = 'waiting' | 'running' | 'dead' | 'handled';

/**
 * What became of one message of a put:
 * - `stored`: new;
 * - `duplicate`: the id was there already, in that state, and nothing changed;
 * - `replaced`: took the place of a waiting or dead one;
 * - `queued`: the id runs; this one follows when that run is over (and replaced an earlier follower);
 * - `absent`: nothing was stored because `onlyIfPresent` was asked for and the id was not there;
 * - `refused`: the store is full (`maxMessages` of the memory engine).
 */
export type PutOutcome =
  | { readonly outcome: 'stored' | 'replaced' | 'queued' | 'absent' | 'refused' }
  | { readonly outcome: 'duplicate'; readonly state: MessageState };

/** Options of a put. */
export interface PutOptions {
  /** The registry's epoch that the caller's choice of region is based on. */
  readonly epoch: number;
  /** Only messages whose id the region knows, in any state, are put. @default false */
  readonly onlyIfPresent?: boolean;
}

/** The answer of a region that has seen a newer epoch than the caller's: re-read the registry and choose again. */
export type Moved = 'moved';

/** What became of a cancel. `running` also drops a follower that waited for the run to end. */
export type CancelOutcome = 'cancelled' | 'running' | 'handled' | 'dead' | 'unknown';

/** What became of a reschedule. With a follower waiting, `rescheduled` is about the follower. */
export type RescheduleOutcome = 'rescheduled' | 'running' | 'handled' | 'dead' | 'unknown';

/** How to claim. */
export interface ClaimOptions {
  /** At most so many messages, 1 or more. The engine may return fewer although more are due. */
  readonly max: number;
  /** How long the lease lasts unless it is renewed. */
  readonly leaseMs: number;
  /** Deliveries of one message that may end in a lost lease; with the next one it becomes a dead letter. */
  readonly maxCrashes: number;
}

/** A message held under a lease. */
export interface ClaimedMessage {
  readonly id: string;
  readonly dueAt: number;
  readonly sentAt: number;
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Deliveries that started before this one, including those that crashed. */
  readonly deliveries: number;
  /** Deliveries that ended in a counted failure. */
  readonly failures: number;
  /** Deliveries that ended in an expired lease. */
  readonly crashes: number;
}

/** What a claim found. */
export interface Claim {
  /** The lease; absent when nothing is held. Never used twice. */
  readonly lease?: string | undefined;
  readonly messages: readonly ClaimedMessage[];
  /** Held as well, but written by a newer version in a form this one cannot read: to be released. */
  readonly unreadable: readonly string[];
  /** The server's now, at or before the moment of the claim. */
  readonly now: number;
  /** When this region is worth another look: its next due time or a lease to recover. Absent: only the safety look. */
  readonly lookAt?: number | undefined;
  readonly paused: boolean;
  /** Messages whose lease had expired and that this call gave back. */
  readonly recovered: number;
  /** Messages that this call made dead letters (crashed too often, lost content), for the log. */
  readonly dead: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * What became of one delivery. With a follower waiting, every verdict promotes the follower, and the
 * `retry`, `dead` or `release` of the superseded message is dropped and reported.
 */
export type Verdict =
  | { readonly id: string; readonly verdict: 'done' }
  /** Due again after `delayMs`. Counts a delivery, and a failure where `failed`. */
  | { readonly id: string; readonly verdict: 'retry'; readonly delayMs: number; readonly failed: boolean }
  /** Will not be tried again. Counts a delivery, and a failure where `failed`. */
  | { readonly id: string; readonly verdict: 'dead'; readonly reason: string; readonly failed: boolean }
  /** Given back: due again as it was, or after `delayMs`. Counts a delivery only where `started`. */
  | {
      readonly id: string;
      readonly verdict: 'release';
      readonly started: boolean;
      readonly delayMs?: number;
    };

/** How to settle. */
export interface SettleOptions {
  /** How long the ids of `done` messages stay refused; 0: not at all. */
  readonly dedupeMs: number;
  /** The verdicts are about everything that the lease should still hold; the engine may make use of it. */
  readonly whole?: boolean;
}

/** What a settle did. */
export interface Settled {
  /** Ids that the lease did not hold any more: nothing was changed for them. */
  readonly stale: readonly string[];
  /** Ids whose `retry`, `dead` or `release` was dropped because a follower took over. */
  readonly superseded: readonly string[];
  /** When this region's earliest message is due, if this call made one due; else absent. */
  readonly lookAt?: number | undefined;
}

/** Stores messages. See the head of this file for times and failures. */
export interface DelayEngine {
  /** Connects and checks the server. Idempotent. */
  open(): Promise<void>;
  /** Lets go of everything, whatever state the server is in, within half a second. Idempotent. */
  close(): Promise<void>;
  /** Reads the registry, or with a proposal changes it; returns what it says afterwards. */
  topology(topic: string, proposal?: TopologyProposal): Promise<Topology>;
  /**
   * `undefined` while puts, cancels and reschedules can go out at once; else resolves when they can, and rejects
   * when a try to connect has failed. What waits for it stays in core: so nothing is carried out after it was
   * rejected. Absent where there is nothing to connect to.
   */
  connecting?(): Promise<unknown> | undefined;
  /** Stores messages; when it resolves they are stored. One round trip. Outcomes in order. No id twice in one call. */
  put(
    region: Region,
    messages: readonly PutMessage[],
    options: PutOptions,
  ): Promise<readonly PutOutcome[] | Moved>;
  /** Cancels waiting messages, atomic against claim. Outcomes in order. */
  cancel(
    region: Region,
    ids: readonly string[],
    options: { readonly epoch: number },
  ): Promise<readonly CancelOutcome[] | Moved>;
  /** Moves the due time of a waiting message, and hints when it became the earliest. */
  reschedule(
    region: Region,
    id: string,
    due: Due,
    options: { readonly epoch: number },
  ): Promise<RescheduleOutcome | Moved>;
  /** Takes due messages, earliest first, under a new lease. Also recovers leases of dead workers. */
  claim(region: Region, options: ClaimOptions): Promise<Claim>;
  /** Applies verdicts to what the lease still holds. */
  settle(
    region: Region,
    lease: string,
    verdicts: readonly Verdict[],
    options: SettleOptions,
  ): Promise<Settled>;
  /** Prolongs leases of this worker to `leaseMs` from now; returns the lost ones, which it never brings back. */
  renew(region: Region, leases: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Calls the listener when a region may have a new earliest due time. Hints may be lost. Returns the unsubscribe. */
  watch(listener: HintListener): () => void;
  /** The reading and repairing side. Absent where the store cannot offer it. */
  readonly inspector?: EngineInspector;
}

/** Gets hints: look at `region` at `at` (server time; in the past: now). */
export type HintListener = (region: Region, at: number) => void;

/** Counts of one region. */
export interface RegionCounts {
  /** Waiting messages, those of `due` included. */
  readonly waiting: number;
  /** Waiting messages whose time has come. */
  readonly due: number;
  readonly running: number;
  readonly dead: number;
}

/** A message as it is found in the store. */
export interface StoredMessage {
  readonly id: string;
  readonly state: MessageState;
  /** Due time (dead letters: when they died; handled: until when the id stays refused). */
  readonly dueAt: number;
  readonly sentAt: number;
  readonly deliveries: number;
  readonly failures: number;
  readonly crashes: number;
  /** Encoded content; empty for `handled`, whose content is gone. */
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Why it is dead. */
  readonly reason?: string;
}

/** One page of messages. */
export interface Page {
  readonly messages: readonly StoredMessage[];
  /** Where the next page starts; absent on the last one. */
  readonly next?: number;
}

/** Reads and repairs a store. */
export interface EngineInspector {
  counts(region: Region): Promise<RegionCounts>;
  /** Messages of one state by time (running: by lease), `limit` (1–1000) from position `from`. */
  page(region: Region, state: 'waiting' | 'running' | 'dead', from: number, limit: number): Promise<Page>;
  find(
    region: Region,
    id: string,
    options: { readonly epoch: number },
  ): Promise<StoredMessage | undefined | Moved>;
  /** Makes dead letters due now, failures and crashes counted anew. Per id whether it was dead. */
  redrive(region: Region, ids: readonly string[]): Promise<readonly boolean[]>;
  /** Removes dead letters. Per id whether it was dead. */
  discard(region: Region, ids: readonly string[]): Promise<readonly boolean[]>;
  /** Stops or resumes claiming in the whole topic: the registry's flag and these regions. Survives restarts. */
  setPaused(topic: string, regions: readonly number[], paused: boolean): Promise<void>;
  /** How many waiting messages are due within the next `withinMs`. */
  dueSoon(region: Region, withinMs: number): Promise<number>;
}
