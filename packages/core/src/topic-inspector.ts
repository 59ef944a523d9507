import { toMilliseconds, type DelayInput } from './duration.js';
import type { EngineInspector, RegionCounts } from './engine.js';
import { DelayQueueError } from './errors.js';
import { invalidOption, readInteger, readObject, readOneOf } from './option-readers.js';
import type { FoundMessage } from './outcomes.js';
import { atIndex } from './producing/at-index.js';
import { foundMessage } from './producing/found-message.js';
import type { Producer } from './producing/producer.js';
import { checkId } from './message-id.js';
import { readList } from './read-list.js';
import type { TopicMap } from './topic-map.js';
import { within } from './within.js';

/** Positions of one region; a page's start is `region × this + position`. */
const POSITIONS = 2 ** 40;
const MAX_PAGE = 1_000;
const MAX_IDS = 500;
const PAGE_STATES = ['waiting', 'running', 'dead'] as const;

/** The counts of a topic. */
export interface TopicCounts extends RegionCounts {
  readonly paused: boolean;
  readonly regions: readonly (RegionCounts & { readonly index: number })[];
}

/** A page of messages of one state. */
export interface TopicPage<T = unknown> {
  readonly messages: readonly FoundMessage<T>[];
  /** Give it as `from` for the next page; absent on the last one. */
  readonly next?: number;
}

/**
 * Looks into a topic and repairs it. Every call asks the store afresh, is tried once, and rejects with the
 * store's error, or with TIMEOUT after `producer.timeout`.
 */
export class TopicInspector {
  private readonly inspector: EngineInspector;

  /** @throws DelayQueueError UNSUPPORTED if the engine has no inspector */
  constructor(
    readonly topic: string,
    private readonly producer: Producer,
  ) {
    const { inspector } = producer.engine;
    if (inspector === undefined) {
      throw new DelayQueueError('UNSUPPORTED', 'this engine has no inspector: it cannot look into topics');
    }
    this.inspector = inspector;
  }

  /** How many messages there are in each state, in total and by region. */
  async counts(): Promise<TopicCounts> {
    const map = await this.map();
    const regions = await this.each(map.regions, async (index) => ({
      index,
      ...(await this.inspector.counts({ topic: this.topic, index })),
    }));
    const sum = (key: keyof RegionCounts): number =>
      regions.reduce((total, region) => total + region[key], 0);
    return {
      waiting: sum('waiting'),
      due: sum('due'),
      running: sum('running'),
      dead: sum('dead'),
      paused: map.paused,
      regions,
    };
  }

  /**
   * Messages of one state, region after region in the order of their index, within a region by time (waiting: due
   * time; running: by lease; dead: when they died). What moves between two pages may be missed or seen twice.
   *
   * @param options `from`: `next` of the page before, `limit`: 1-1,000, 100 by default
   */
  async page<T>(
    state: 'waiting' | 'running' | 'dead',
    options: { readonly from?: number; readonly limit?: number } = {},
  ): Promise<TopicPage<T>> {
    if (readOneOf(state, 'state', PAGE_STATES) === undefined) throw invalidOption('state', 'given', state);
    const given = readObject(options, 'options', ['from', 'limit']);
    const from = readInteger(given.from, 'options.from', 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = readInteger(given.limit, 'options.limit', 1, MAX_PAGE) ?? 100;
    const { regions } = await this.map();
    const messages: FoundMessage<T>[] = [];
    let position = from % POSITIONS;
    for (let index = Math.floor(from / POSITIONS); index < regions.length; index++, position = 0) {
      const wanted = limit - messages.length;
      const page = await this.limited(
        this.inspector.page({ topic: this.topic, index }, state, position, Math.max(wanted, 1)),
      );
      if (wanted === 0 && page.messages.length > 0) return { messages, next: index * POSITIONS };
      if (wanted === 0) continue;
      for (const stored of page.messages) {
        messages.push(foundMessage<T>(this.topic, stored, this.producer.properties.codec));
      }
      if (page.next !== undefined) return { messages, next: index * POSITIONS + page.next };
    }
    return { messages };
  }

  /** Makes dead letters due now; per id whether it was dead. */
  redrive(ids: readonly string[]): Promise<boolean[]> {
    return this.repair(ids, (index, some) => this.inspector.redrive({ topic: this.topic, index }, some));
  }

  /** Removes dead letters; per id whether it was dead. */
  discard(ids: readonly string[]): Promise<boolean[]> {
    return this.repair(ids, (index, some) => this.inspector.discard({ topic: this.topic, index }, some));
  }

  /** Stops claiming everywhere, until `resume`; survives restarts. What runs goes on, delays keep counting. */
  pause(): Promise<void> {
    return this.setPaused(true);
  }

  /** Ends a pause. */
  resume(): Promise<void> {
    return this.setPaused(false);
  }

  /** How many waiting messages are due within `window` from now. */
  async dueSoon(window: DelayInput): Promise<number> {
    const withinMs = toMilliseconds(window, 'the window');
    const { regions } = await this.map();
    const counts = await this.each(regions, (index) =>
      this.inspector.dueSoon({ topic: this.topic, index }, withinMs),
    );
    return counts.reduce((total, count) => total + count, 0);
  }

  private async setPaused(paused: boolean): Promise<void> {
    const { regions } = await this.map();
    await this.limited(this.inspector.setPaused(this.topic, regions, paused));
    await this.map();
  }

  /** Asks all homes of each id. */
  private async repair(
    ids: readonly string[],
    act: (index: number, ids: readonly string[]) => Promise<readonly boolean[]>,
  ): Promise<boolean[]> {
    const list = readList(ids)?.map((id, position) => atIndex('ids', position, () => checkId(id)));
    if (list === undefined) throw invalidOption('ids', 'an array of ids', ids);
    const map = await this.map();
    const done = new Set<string>();
    const byHome = new Map<number, string[]>();
    for (const id of new Set(list)) {
      for (const home of [map.home(id), ...map.formerHomes(id)]) {
        byHome.set(home, [...(byHome.get(home) ?? []), id]);
      }
    }
    await this.each([...byHome.keys()], async (index) => {
      const here = byHome.get(index) ?? [];
      for (let start = 0; start < here.length; start += MAX_IDS) {
        const some = here.slice(start, start + MAX_IDS);
        const results = await act(index, some);
        some.forEach((id, position) => results[position] === true && done.add(id));
      }
    });
    return list.map((id) => done.has(id));
  }

  private map(): Promise<TopicMap> {
    return this.limited(this.producer.registry.refresh(this.topic));
  }

  private each<Result>(
    indexes: readonly number[],
    ask: (index: number) => Promise<Result>,
  ): Promise<Result[]> {
    return this.limited(Promise.all(indexes.map(ask)));
  }

  private limited<Result>(answer: Promise<Result>): Promise<Result> {
    const { clock, properties } = this.producer;
    return within(clock, properties.producer.timeoutMs, answer, `inspecting '${this.topic}'`);
  }
}
