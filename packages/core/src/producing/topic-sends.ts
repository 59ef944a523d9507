import type { PutOutcome } from '../engine.js';
import { DelayQueueError } from '../errors.js';
import type { SendResult } from '../outcomes.js';
import type { TopicMap } from '../topic-map.js';
import { IdChains } from './id-chains.js';
import type { LaneSet } from './lane-set.js';
import { PendingSend, type SendHost } from './pending-send.js';
import type { PreparedMessage } from './prepared-message.js';
import type { Producer } from './producer.js';
import { sendWork } from './send-work.js';
import type { TopicRouter } from './topic-router.js';

/** The sends of one topic. */
export class TopicSends implements SendHost {
  readonly name: string;
  private readonly chains = new IdChains<PendingSend>();
  private readonly puts: LaneSet<PendingSend, PutOutcome>;
  private readonly putsAtFormerHomes: LaneSet<PendingSend, PutOutcome>;

  constructor(
    readonly topic: string,
    private readonly producer: Producer,
    private readonly router: TopicRouter,
  ) {
    const { engine, clock, properties } = producer;
    this.name = properties.name;
    const hintOf = (): ReturnType<Producer['hintOf']> => producer.hintOf(topic);
    this.putsAtFormerHomes = router.lanes(sendWork(engine, clock, true, hintOf));
    this.puts = router.lanes(sendWork(engine, clock, false, hintOf));
  }

  /** Starts a send; one of the two is called once it has settled. */
  start(
    message: PreparedMessage,
    resolve: (result: SendResult) => void,
    reject: (error: DelayQueueError) => void,
  ): void {
    const { budget, deadlines, clock, properties } = this.producer;
    const hasRoom = budget.take();
    if (!hasRoom && properties.producer.overflow === 'reject') {
      return reject(
        new DelayQueueError(
          'OVERFLOW',
          `producer.maxPending (${properties.producer.maxPending}) sends are unsettled; send slower, raise it, or set producer.overflow to 'wait'`,
        ),
      );
    }
    const send = new PendingSend(message, clock.monotonic(), this, resolve, reject);
    deadlines.add(send);
    this.producer.unsettled(1);
    if (hasRoom) send.admitted();
    else budget.wait(send);
  }

  admitted(send: PendingSend): void {
    if (!send.mayCollide || this.chains.enter(send)) this.go(send);
  }

  join(send: PendingSend, map: TopicMap, index: number, onlyIfPresent: boolean): void {
    if (!this.router.follows(map)) return this.router.add(send);
    (onlyIfPresent ? this.putsAtFormerHomes : this.puts).add(index, send);
    this.router.wake();
  }

  finished(send: PendingSend): void {
    const { budget, deadlines } = this.producer;
    deadlines.remove(send);
    this.producer.unsettled(-1);
    if (send.hasRoom) budget.release();
    else budget.left();
  }

  released(send: PendingSend): void {
    if (!send.mayCollide || !send.isOnItsWay) return;
    const next = this.chains.leave(send);
    if (next !== undefined) this.go(next);
  }

  private go(send: PendingSend): void {
    send.isOnItsWay = true;
    this.router.add(send);
  }
}
