import type { DelayQueueError } from '../errors.js';
import type { TopicMap } from '../topic-map.js';

/** A request to a topic: it knows which lanes it must go through, given where the topic's messages are. */
export interface Routable {
  /** Nothing is to be done for it any more. */
  readonly settled: boolean;
  /** Joins the lanes. Called again when the map changed before it was handed to the engine. */
  route(map: TopicMap): void;
  /** A try failed and will be repeated; `unknown`: it may have been carried out all the same. */
  missed(error: DelayQueueError, unknown: boolean): void;
  /** The last try failed; `unknown`: it may have been carried out all the same. */
  refuse(error: DelayQueueError, unknown: boolean): void;
}

/** What goes through a lane: a request, or its share for one region. */
export interface LaneItem {
  readonly id: string;
  /** Bytes, roughly. */
  readonly weight: number;
  readonly settled: boolean;
  readonly request: Routable;
  /** It is handed to the engine. */
  sent(): void;
  /** The engine is through with it, after its outcome or failure was told. */
  back(): void;
}
