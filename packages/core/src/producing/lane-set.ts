import { RegionLane, type LaneHost, type LaneWork } from './region-lane.js';
import type { LaneItem } from './routable.js';

/** The lanes of one kind of request to one topic: one for each region that was ever asked. */
export class LaneSet<Item extends LaneItem, Outcome> {
  private readonly lanes = new Map<number, RegionLane<Item, Outcome>>();
  private readonly waiting = new Set<RegionLane<Item, Outcome>>();

  /** `wake` asks for a flush at the end of this turn. */
  constructor(
    private readonly topic: string,
    private readonly work: LaneWork<Item, Outcome>,
    private readonly host: LaneHost,
    private readonly wake: () => void,
  ) {}

  /** Puts an item into the lane of the region `index`. */
  add(index: number, item: Item): void {
    const lane = this.lanes.get(index) ?? this.open(index);
    lane.add(item);
    this.waiting.add(lane);
  }

  /** Whether anything waits. */
  get waits(): boolean {
    return this.waiting.size > 0;
  }

  /** Hands over what waits, under this epoch; with `gather`, busy lanes may keep it for a larger call. */
  flush(epoch: number, gather: boolean): void {
    for (const lane of this.waiting) {
      lane.flush(epoch, gather);
      if (!lane.waits) this.waiting.delete(lane);
    }
  }

  /** Takes out what waits, to be routed anew. */
  drain(): Item[] {
    return [...this.lanes.values()].flatMap((lane) => lane.drain());
  }

  /** Disarms all timers. */
  stop(): void {
    for (const lane of this.lanes.values()) lane.stop();
  }

  private open(index: number): RegionLane<Item, Outcome> {
    const lane: RegionLane<Item, Outcome> = new RegionLane(
      { topic: this.topic, index },
      this.work,
      this.host,
      () => {
        this.waiting.add(lane);
        this.wake();
      },
    );
    this.lanes.set(index, lane);
    return lane;
  }
}
