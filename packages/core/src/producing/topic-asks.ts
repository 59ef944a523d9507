import type { DelayQueueError } from '../errors.js';
import type { AskKind } from './ask-work.js';
import type { LaneSet } from './lane-set.js';
import { PendingAsk, type AskHost, type AskPart, type Question } from './pending-ask.js';
import type { Producer } from './producer.js';
import type { TopicRouter } from './topic-router.js';

/** The questions of one kind to one topic. */
export class TopicAsks<Outcome> implements AskHost<Outcome> {
  readonly name: string;
  readonly timeoutMs: number;
  readonly question: Question<Outcome>;
  private readonly lanes: LaneSet<AskPart<Outcome>, Outcome>;

  constructor(
    readonly topic: string,
    kind: AskKind<Outcome>,
    private readonly producer: Producer,
    private readonly router: TopicRouter,
  ) {
    this.name = producer.properties.name;
    this.timeoutMs = producer.properties.producer.timeoutMs;
    this.question = kind.question;
    this.lanes = router.lanes(kind.work);
  }

  /** Asks; one of the two is called once it has settled. */
  start(
    id: string,
    resolve: (outcome: Outcome) => void,
    reject: (error: DelayQueueError) => void,
    delayMs = 0,
  ): void {
    const { clock, deadlines } = this.producer;
    const ask = new PendingAsk(id, delayMs, clock.monotonic(), this, resolve, reject);
    deadlines.add(ask);
    this.producer.unsettled(1);
    this.router.add(ask);
  }

  join(part: AskPart<Outcome>, index: number): void {
    this.lanes.add(index, part);
  }

  finished(ask: PendingAsk<Outcome>): void {
    this.producer.deadlines.remove(ask);
    this.producer.unsettled(-1);
  }
}
