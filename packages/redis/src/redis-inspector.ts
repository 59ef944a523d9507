import type { EngineInspector, Moved, Page, Region, RegionCounts, StoredMessage } from '@delay-queue/core';
import type { Keys } from './keys.js';
import { readPage } from './read-page.js';
import type { RunCommand } from './run-command.js';
import { scriptTarget, type RunScript, type ScriptTarget } from './script-runner.js';
import { count } from './scripts/count.js';
import { find } from './scripts/find.js';
import { pauseRegion } from './scripts/pause-region.js';
import { pauseTopic } from './scripts/pause-topic.js';
import { MOST_DEAD_LETTERS, redrive } from './scripts/redrive.js';

/** The reading and repairing side of the Redis engine. Every call is bounded, none scans. */
export class RedisInspector implements EngineInspector {
  constructor(
    private readonly keys: Keys,
    private readonly run: RunScript,
    private readonly command: RunCommand,
  ) {}

  /** What has a body and does not wait counts as running. */
  async counts(region: Region): Promise<RegionCounts> {
    const { soon: _, ...counts } = await count(this.#target(region), 0);
    return counts;
  }

  page(region: Region, state: 'waiting' | 'running' | 'dead', from: number, limit: number): Promise<Page> {
    return readPage(this.command, this.keys.region(region), state, from, limit);
  }

  find(
    region: Region,
    id: string,
    options: { readonly epoch: number },
  ): Promise<StoredMessage | undefined | Moved> {
    return find(this.#target(region), id, options.epoch);
  }

  redrive(region: Region, ids: readonly string[]): Promise<readonly boolean[]> {
    return this.#eachDead(region, 'redrive', ids);
  }

  discard(region: Region, ids: readonly string[]): Promise<readonly boolean[]> {
    return this.#eachDead(region, 'discard', ids);
  }

  async setPaused(topic: string, regions: readonly number[], paused: boolean): Promise<void> {
    await pauseTopic(this.run, this.keys.topics, topic, paused);
    await Promise.all(regions.map((index) => pauseRegion(this.#target({ topic, index }), paused)));
  }

  /** Overdue messages count too. */
  async dueSoon(region: Region, withinMs: number): Promise<number> {
    return (await count(this.#target(region), withinMs)).soon;
  }

  async #eachDead(
    region: Region,
    what: 'redrive' | 'discard',
    ids: readonly string[],
  ): Promise<readonly boolean[]> {
    const outcomes: boolean[] = [];
    for (let from = 0; from < ids.length; from += MOST_DEAD_LETTERS) {
      const some = ids.slice(from, from + MOST_DEAD_LETTERS);
      outcomes.push(...(await redrive(this.#target(region), what, some)));
    }
    return outcomes;
  }

  #target(region: Region): ScriptTarget {
    return scriptTarget(this.run, this.keys, region);
  }
}
