import type { Clock, Timer } from '../clock.js';
import { backOffMs } from '../back-off.js';
import type { DelayEngine } from '../engine.js';
import type { EngineHealth } from '../engine-health.js';
import { DelayQueueError } from '../errors.js';
import type { TopicMap } from '../topic-map.js';
import type { TopicRegistry } from '../topic-registry.js';
import type { Deadlines } from './deadlines.js';
import { engineFailure } from './engine-failure.js';
import { LaneSet } from './lane-set.js';
import type { LaneHost, LaneWork } from './region-lane.js';
import type { LaneItem, Routable } from './routable.js';

const FIRST_BACK_OFF_MS = 20;
const LONGEST_BACK_OFF_MS = 500;

/** What a router needs of its instance. */
export interface RouterHost {
  readonly engine: DelayEngine;
  readonly clock: Clock;
  readonly health: EngineHealth;
  readonly deadlines: Deadlines;
  readonly registry: TopicRegistry;
  /** Asks for `router.flush()` at the end of this turn. */
  wake(router: TopicRouter): void;
  /** The number of calls under way changes by so many. */
  underWay(change: 1 | -1): void;
}

/**
 * Brings all requests of one topic to its regions.
 *
 * What waits in the lanes was routed by one map. When the registry changes it is routed anew before it is handed
 * over, so that an epoch never goes with a region that was chosen under another one. What finds no map, or was
 * told `moved`, waits until the registry has been read.
 */
export class TopicRouter implements LaneHost {
  readonly clock: Clock;
  readonly health: EngineHealth;
  readonly deadlines: Deadlines;
  private readonly sets: LaneSet<LaneItem, never>[] = [];
  private readonly part: string;
  private map: TopicMap | undefined;
  private unrouted: Routable[] = [];
  private staleEpoch = 0;
  private reading = false;
  private failures = 0;
  private backOff: Timer | undefined;
  private awake = false;
  private stopped = false;

  constructor(
    private readonly topic: string,
    private readonly host: RouterHost,
  ) {
    this.clock = host.clock;
    this.health = host.health;
    this.deadlines = host.deadlines;
    this.part = `reading the registry entry of ${topic}`;
  }

  /** Opens lanes for one kind of request; earlier kinds are flushed first. */
  lanes<Item extends LaneItem, Outcome>(work: LaneWork<Item, Outcome>): LaneSet<Item, Outcome> {
    const set = new LaneSet(this.topic, work, this, () => this.wake());
    this.sets.push(set as unknown as LaneSet<LaneItem, never>);
    return set;
  }

  /** Takes a request; it is handed to the engine at the end of this turn at the earliest. */
  add(request: Routable): void {
    if (this.map !== undefined && this.unrouted.length === 0) request.route(this.map);
    else this.unrouted.push(request);
    this.wake();
  }

  /** Asks for `flush` at the end of this turn. */
  wake(): void {
    if (this.awake) return;
    this.awake = true;
    this.host.wake(this);
  }

  /** Whether `map` is the one by which requests are routed now. */
  follows(map: TopicMap): boolean {
    return this.map === map;
  }

  /** Hands over everything that waits and can go. */
  flush(): void {
    this.awake = false;
    this.adopt(this.host.registry.known(this.topic));
    if (this.unrouted.length > 0 && !this.reading && this.backOff === undefined) {
      if (this.map === undefined || this.staleEpoch >= this.map.epoch) this.read();
      else this.routeAll(this.map);
    }
    if (this.map === undefined) return;
    // Requests of one kind may gather; where kinds meet, a send goes before the cancel that was called after it.
    const gather = this.sets.filter((set) => set.waits).length < 2;
    for (const set of this.sets) set.flush(this.map.epoch, gather);
  }

  underWay(change: 1 | -1): void {
    this.host.underWay(change);
  }

  connecting(): Promise<unknown> | undefined {
    return this.host.engine.connecting?.();
  }

  moved(items: readonly LaneItem[], epoch: number): void {
    this.staleEpoch = Math.max(this.staleEpoch, epoch);
    this.unrouted.push(...new Set(items.map((item) => item.request)));
    this.wake();
  }

  /** Disarms all timers and arms none any more. */
  stop(): void {
    this.stopped = true;
    this.backOff?.cancel();
    for (const set of this.sets) set.stop();
  }

  private adopt(known: TopicMap | undefined): void {
    if (known === undefined || known === this.map) return;
    const waiting = new Set(this.sets.flatMap((set) => set.drain()).map((item) => item.request));
    this.map = known;
    for (const request of waiting) request.route(known);
  }

  private routeAll(map: TopicMap): void {
    const requests = new Set(this.unrouted);
    this.unrouted = [];
    for (const request of requests) if (!request.settled) request.route(map);
  }

  private read(): void {
    this.reading = true;
    this.host.underWay(1);
    const { registry } = this.host;
    const { staleEpoch } = this;
    const answer = staleEpoch > 0 ? registry.refresh(this.topic, staleEpoch) : registry.get(this.topic);
    answer
      .then((map) => {
        if (map.epoch > staleEpoch) return this.readDone();
        throw new DelayQueueError('UNAVAILABLE', `a region of '${this.topic}' is ahead of the registry`);
      })
      .catch((error: unknown) => this.readFailed(error))
      .finally(() => this.host.underWay(-1));
  }

  private readDone(): void {
    this.reading = false;
    this.health.worked('reading');
    if (this.failures > 0) this.health.ok(this.part);
    this.failures = 0;
    this.flush();
  }

  private readFailed(thrown: unknown): void {
    this.reading = false;
    if (this.stopped) return;
    const { kind, error } = engineFailure(thrown);
    const requests = this.unrouted.filter((request) => !request.settled);
    this.unrouted = kind === 'repeat' ? requests : [];
    for (const request of requests) {
      // only reading failed: the requests themselves have not been tried
      if (kind === 'repeat') request.missed(error, false);
      else request.refuse(error, false);
    }
    if (kind !== 'repeat') return;
    this.failures++;
    this.health.failed(this.part, error);
    this.backOff = this.clock.setTimer(
      () => {
        this.backOff = undefined;
        this.unrouted = this.unrouted.filter((request) => !request.settled);
        if (this.unrouted.length === 0) this.health.idle(this.part);
        this.wake();
      },
      backOffMs(this.failures, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS),
    );
  }
}
