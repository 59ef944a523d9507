import type { Claim } from '../engine.js';
import type { TopicMap } from '../topic-map.js';
import type { TopicRegistry } from '../topic-registry.js';
import { Alarm } from './alarm.js';
import { backOffMs } from '../back-off.js';
import { claimable, shareOf } from './claim-share.js';
import type { Consuming } from './consuming.js';
import { RegionLook } from './region-look.js';
import { ServerTime } from './server-time.js';

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2_000;

/** What the looker needs of the rest of its queue. */
export interface LookerHost {
  /** Running and queued messages. */
  held(): number;
  /** How many may be held beyond the slots. */
  room(): number;
  /** Too many verdicts wait for the store to claim more, or a message waits for the claims under way. */
  clogged(): boolean;
  /** Something was claimed from region `index`, asked for at `askedAt`. After `stop` too: to be given back. */
  claimed(index: number, claim: Claim, askedAt: number): void;
  /** The topic, or a region of it, turned out to be paused. */
  paused(): void;
}

/**
 * Decides when to look at which region, and claims.
 *
 * One timer, at the earliest time at which a region is known to have something due; hints and what claims and
 * settles tell move it. A second reason to look is none in particular: the safety look, every `safetyLookMs` one
 * claim per region and one read of the registry, which bounds what a lost hint can cost.
 */
export class Looker {
  /** Claims under way. */
  claims = 0;
  readonly #regions = new Map<number, RegionLook>();
  readonly #server = new ServerTime();
  /** The region after the one that was asked last comes first. */
  #turn = 0;
  #asked = 0;
  #mapPaused = false;
  #known = false;
  #reading = false;
  #readFailures = 0;
  #readNotBefore = -Infinity;
  #safetyAt = Infinity;
  #stopped = false;
  readonly #due: Alarm;
  readonly #justInCase: Alarm;

  constructor(
    private readonly shared: Consuming,
    private readonly registry: TopicRegistry,
    private readonly host: LookerHost,
  ) {
    const look = () => shared.scope.run(() => this.look());
    this.#due = new Alarm(shared.clock, look);
    this.#justInCase = new Alarm(shared.clock, look, true);
  }

  /** Reads the registry, then looks at every region. */
  open(): void {
    this.#safetyAt = this.shared.clock.monotonic() + this.shared.properties.safetyLookMs;
    void this.#read();
  }

  /** Claims nothing any more; what claims under way bring is passed on. */
  stop(): void {
    this.#stopped = true;
    this.#due.set(Infinity);
    this.#justInCase.set(Infinity);
  }

  /** Region `index` has something due at `at`, by the store's clock. */
  hint(index: number, at: number): void {
    if (!this.#regions.has(index)) {
      const map = this.registry.known(this.shared.topic);
      if (map?.regions.includes(index)) this.#adopt(map);
      else void this.#read();
    }
    this.#regions.get(index)?.hint(this.#server.monotonic(at));
  }

  /** Looks at every region and at the registry as soon as there is room, whatever is known of them. */
  force(): void {
    void this.#read();
    for (const region of this.#regions.values()) region.force();
  }

  /** Nothing is under way, and nothing is due that could be claimed. */
  get quiet(): boolean {
    if (this.claims > 0) return false;
    if (this.#stopped) return true;
    if (this.#reading) return false;
    const now = this.shared.clock.monotonic();
    if (this.#free() === 0) return true;
    for (const region of this.#regions.values()) if (region.dueAt(now)) return false;
    return true;
  }

  /** Claims what is due and fits, and sets the timer for the rest. Never throws. */
  look(): void {
    if (this.#stopped) return;
    try {
      const now = this.shared.clock.monotonic();
      if (now >= this.#safetyAt || (!this.#known && now >= this.#readNotBefore)) this.#safetyLook(now);
      this.#claimDue(now);
      this.#arm(now);
    } catch (error) {
      this.shared.log.fault(error);
      this.#justInCase.setNoLaterThan(this.shared.clock.monotonic() + LAST_RETRY_MS);
    }
  }

  #safetyLook(now: number): void {
    this.#safetyAt = now + this.shared.properties.safetyLookMs;
    void this.#read();
    for (const region of this.#regions.values()) region.hint(-Infinity);
  }

  #free(): number {
    if (this.host.clogged()) return 0;
    const { concurrency } = this.shared.properties;
    return claimable({ concurrency, room: this.host.room(), held: this.host.held(), asked: this.#asked });
  }

  #claimDue(now: number): void {
    let free = this.#free();
    if (free === 0) return;
    const due: RegionLook[] = [];
    for (const region of this.#regions.values()) if (region.dueAt(now)) due.push(region);
    const first = due.findIndex((region) => region.index >= this.#turn);
    for (let i = 0; i < due.length && free > 0; i++) {
      const region = due[(Math.max(first, 0) + i) % due.length];
      if (region === undefined) break;
      const max = Math.min(free, shareOf(free, due.length - i, region.brisk));
      free -= max;
      this.#turn = region.index + 1;
      void this.#claim(region, max);
    }
  }

  async #claim(region: RegionLook, max: number): Promise<void> {
    const { engine, topic, clock, properties, log, replies } = this.shared;
    const { index } = region;
    const { leaseMs, maxCrashes } = properties;
    const askedAt = clock.monotonic();
    region.asked();
    this.#asked += max;
    this.claims++;
    try {
      const answer = engine.claim({ topic, index }, { max, leaseMs, maxCrashes });
      const claim = await replies
        .within(answer, (late) => this.host.claimed(index, late, -Infinity))
        .finally(() => (this.#asked -= max));
      this.#server.learn(claim.now, clock.monotonic());
      this.#answered(region, claim, max);
      this.host.claimed(index, claim, askedAt);
    } catch (error) {
      region.failed(clock.monotonic());
      if (!this.#stopped) log.failed(`/${index}`, error);
    } finally {
      this.claims--;
      this.shared.wake();
    }
  }

  #answered(region: RegionLook, claim: Claim, max: number): void {
    const wasPaused = region.paused;
    const recovering = region.answered(claim, max, this.shared.clock.monotonic());
    if (recovering) this.shared.log.ok(`/${region.index}`);
    if (claim.paused && !wasPaused) this.host.paused();
  }

  async #read(): Promise<void> {
    if (this.#reading || this.#stopped) return;
    this.#reading = true;
    const { topic, clock, log, replies } = this.shared;
    try {
      const read = this.#known ? this.registry.refresh(topic) : this.registry.get(topic);
      this.#adopt(await replies.within(read));
      this.#known = true;
      this.#readFailures = 0;
      log.ok(', reading the registry');
    } catch (error) {
      this.#readFailures++;
      this.#readNotBefore = clock.monotonic() + backOffMs(this.#readFailures, FIRST_RETRY_MS, LAST_RETRY_MS);
      if (!this.#stopped) log.failed(', reading the registry', error);
    } finally {
      this.#reading = false;
      this.shared.wake();
    }
  }

  #adopt(map: TopicMap): void {
    for (const index of map.regions) {
      if (!this.#regions.has(index)) this.#regions.set(index, new RegionLook(index));
    }
    const wasPaused = this.#mapPaused;
    this.#mapPaused = map.paused;
    if (map.paused && !wasPaused) this.host.paused();
  }

  #arm(now: number): void {
    let due = Infinity;
    let justInCase = this.#safetyAt;
    if (!this.#known && !this.#reading) justInCase = Math.min(justInCase, this.#readNotBefore);
    for (const region of this.#regions.values()) {
      if (region.claiming) continue;
      if (region.at > now) due = Math.min(due, region.at);
      else if (region.notBefore > now) justInCase = Math.min(justInCase, region.notBefore);
    }
    this.#due.set(due);
    this.#justInCase.set(justInCase);
  }
}
