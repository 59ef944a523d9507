import type { Clock, Timer } from '../clock.js';
import { backOffMs } from '../back-off.js';
import type { Moved, Region } from '../engine.js';
import type { EngineHealth } from '../engine-health.js';
import type { DelayQueueError } from '../errors.js';
import { engineFailure } from './engine-failure.js';
import { LaneCall, type CallKeeper } from './lane-call.js';
import type { LaneItem } from './routable.js';

const MAX_BATCH_BYTES = 1024 * 1024;
const FIRST_BACK_OFF_MS = 20;
const LONGEST_BACK_OFF_MS = 500;

/** What a lane does with its items. */
export interface LaneWork<Item extends LaneItem, Outcome> {
  /** For the log, such as `sending`. */
  readonly name: string;
  /** Items of one call at most. */
  readonly maxItems: number;
  /** Whether one id may come twice, so that batches have to look; else the requests see to it. */
  readonly idsRepeat: boolean;
  /** One round trip; outcomes in order. */
  call(region: Region, items: readonly Item[], epoch: number): Promise<readonly Outcome[] | Moved>;
  /** One item's outcome. Must not throw. */
  outcome(item: Item, outcome: Outcome, region: Region): void;
}

/** What a lane needs of the topic it belongs to. */
export interface LaneHost extends CallKeeper {
  readonly clock: Clock;
  readonly health: EngineHealth;
  /** `undefined` if calls can go out now; see `DelayEngine.connecting`. */
  connecting(): Promise<unknown> | undefined;
  /** A region called `epoch` old: these items need another way. */
  moved(items: readonly LaneItem[], epoch: number): void;
}

/**
 * Takes one kind of request to one region: collects what comes in a turn of the event loop, and while a call is
 * under way what comes until it is back (group commit: fewer, larger calls), hands it over in batches, repeats
 * what failed after a back-off, and sorts out which message of a failed batch is to blame by halving the batch.
 * `ready` tells when it wants to be flushed again by itself.
 */
export class RegionLane<Item extends LaneItem, Outcome> {
  private queue: Item[] = [];
  private next = 0;
  private failures = 0;
  /** Of the last call, if it failed: what waits behind it has not been tried, but this is why. */
  private lastError: DelayQueueError | undefined;
  private underWay = 0;
  private backOff: Timer | undefined;
  private connecting = false;
  private readonly part: string;

  constructor(
    private readonly region: Region,
    private readonly work: LaneWork<Item, Outcome>,
    private readonly host: LaneHost,
    private readonly ready: () => void,
  ) {
    this.part = `${work.name} ${region.topic}/${region.index}`;
  }

  /** Joins the queue. */
  add(item: Item): void {
    if (this.lastError !== undefined) item.request.missed(this.lastError, false);
    this.queue.push(item);
  }

  /** Whether anything waits. */
  get waits(): boolean {
    return this.queue.length > 0;
  }

  /** Hands what waits to the engine, unless a back-off is on; with `gather`, only full batches while a call is under way. */
  flush(epoch: number, gather: boolean): void {
    if (this.backOff !== undefined || this.connecting || this.queue.length === 0) return;
    const connected = this.host.connecting();
    if (connected !== undefined) return void this.connect(connected);
    while (this.next < this.queue.length) {
      if (gather && this.underWay > 0 && this.queue.length - this.next < this.work.maxItems) break;
      const batch = this.take();
      if (batch.length > 0) this.call(batch, epoch);
    }
    if (this.next > 0) this.queue = this.queue.slice(this.next);
    this.next = 0;
  }

  /** Gives up what waits here, to be routed anew. */
  drain(): Item[] {
    const waiting = this.queue.slice(this.next).filter((item) => !item.settled);
    this.queue = [];
    this.next = 0;
    return waiting;
  }

  /** Disarms the timer. */
  stop(): void {
    this.backOff?.cancel();
    this.backOff = undefined;
  }

  /** What waits stays here until there is a connection, so that what is rejected meanwhile is never sent. */
  private async connect(connected: Promise<unknown>): Promise<void> {
    this.connecting = true;
    this.host.underWay(1);
    try {
      await connected;
      this.retry();
    } catch (thrown) {
      const { kind, error } = engineFailure(thrown);
      if (kind === 'repeat') this.repeat([], error);
      else for (const item of this.drain()) item.request.refuse(error, false);
    } finally {
      this.connecting = false;
      this.host.underWay(-1);
    }
  }

  /** The next batch: never one id twice, never too much for one call. */
  private take(): Item[] {
    const { maxItems, idsRepeat } = this.work;
    const batch: Item[] = [];
    const ids = idsRepeat ? new Set<string>() : undefined;
    let bytes = 0;
    for (; this.next < this.queue.length && batch.length < maxItems; this.next++) {
      const item = this.queue[this.next];
      if (item === undefined || item.settled) continue;
      bytes += item.weight;
      if (batch.length > 0 && (bytes > MAX_BATCH_BYTES || ids?.has(item.id) === true)) break;
      ids?.add(item.id);
      batch.push(item);
    }
    return batch;
  }

  private call(batch: readonly Item[], epoch: number): void {
    for (const item of batch) item.sent();
    this.underWay++;
    new LaneCall(
      this.host.clock.monotonic(),
      this.host,
      (answer: readonly Outcome[] | Moved) => {
        this.returned();
        this.answered(batch, answer, epoch);
      },
      (error) => {
        this.returned();
        this.failed(batch, error, epoch);
      },
    ).start(() => this.work.call(this.region, batch, epoch));
  }

  private returned(): void {
    this.underWay--;
    if (this.queue.length > 0 && this.backOff === undefined) this.ready();
  }

  private answered(batch: readonly Item[], answer: readonly Outcome[] | Moved, epoch: number): void {
    if (answer === 'moved') {
      this.recovered();
      this.host.moved(batch, epoch);
      for (const item of batch) item.back();
      return;
    }
    if (answer.length !== batch.length) {
      const wrong = `the engine gave ${answer.length} outcomes for ${batch.length} items`;
      return this.failed(batch, new Error(wrong), epoch);
    }
    this.recovered();
    for (let i = 0; i < batch.length; i++) {
      const item = batch[i];
      const outcome = answer[i];
      if (item === undefined || outcome === undefined) continue;
      this.work.outcome(item, outcome, this.region);
      item.back();
    }
  }

  private failed(batch: readonly Item[], thrown: unknown, epoch: number): void {
    const { kind, unknown, error } = engineFailure(thrown);
    if (kind === 'fault' && batch.length > 1) {
      for (const item of batch) {
        item.request.missed(error, unknown);
        item.back();
      }
      const left = batch.filter((item) => !item.settled);
      const middle = left.length >> 1;
      for (const half of [left.slice(0, middle), left.slice(middle)])
        if (half.length > 0) this.call(half, epoch);
      return;
    }
    for (const item of batch) {
      if (kind === 'repeat') item.request.missed(error, unknown);
      else item.request.refuse(error, unknown);
      item.back();
    }
    if (kind === 'repeat') this.repeat(batch, error);
  }

  private repeat(batch: readonly Item[], error: DelayQueueError): void {
    this.lastError = error;
    const waiting = this.drain();
    for (const item of waiting) item.request.missed(error, false);
    this.queue = [...batch.filter((item) => !item.settled), ...waiting];
    this.host.health.failed(this.part, error);
    if (this.backOff !== undefined) return;
    this.failures++;
    if (this.queue.length === 0) return this.host.health.idle(this.part);
    const wait = backOffMs(this.failures, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS);
    this.backOff = this.host.clock.setTimer(() => {
      this.backOff = undefined;
      this.retry();
    }, wait);
  }

  private retry(): void {
    this.queue = this.drain();
    if (this.queue.length === 0) this.host.health.idle(this.part);
    this.ready();
  }

  private recovered(): void {
    this.host.health.worked(this.work.name);
    if (this.failures === 0) return;
    this.failures = 0;
    this.lastError = undefined;
    this.host.health.ok(this.part);
  }
}
