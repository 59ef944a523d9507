import type { IsolationRegionSelector } from './isolation-region-selector.js';

/** Where the messages of a topic are. Immutable: a change of the registry makes another one. */
export interface TopicMap {
  readonly epoch: number;
  readonly paused: boolean;
  /** Every region index of all counts ever used: 0 .. max - 1. */
  readonly regions: readonly number[];
  /** The region in which a new message of this id belongs. */
  home(id: string): number;
  /** Other regions, by former counts, in which the id may still be; the latest count first. */
  formerHomes(id: string): readonly number[];
}

const NOWHERE: readonly number[] = [];

/** The map of a topic that used these `counts`, the last of which is in force. */
export function topicMap(
  counts: readonly [number, ...number[]],
  epoch: number,
  paused: boolean,
  selector: IsolationRegionSelector,
): TopicMap {
  const current = counts[counts.length - 1] ?? counts[0];
  const former = counts.slice(0, -1).reverse();
  const home = (id: string): number => selector.select(id, current);
  return {
    epoch,
    paused,
    regions: Array.from({ length: Math.max(...counts) }, (_, index) => index),
    home,
    formerHomes(id) {
      if (former.length === 0) return NOWHERE;
      const homes = new Set(former.map((count) => selector.select(id, count)));
      homes.delete(home(id));
      return [...homes];
    },
  };
}
