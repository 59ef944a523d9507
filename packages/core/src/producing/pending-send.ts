import type { Due, MessageState, PutMessage, PutOutcome } from '../engine.js';
import { DelayQueueError } from '../errors.js';
import type { SendResult } from '../outcomes.js';
import type { TopicMap } from '../topic-map.js';
import type { ChainLink } from './id-chains.js';
import { closedError } from './closed-error.js';
import { Pending } from './pending.js';
import type { PreparedMessage } from './prepared-message.js';
import type { LaneItem, Routable } from './routable.js';
import type { RoomSeeker } from './send-budget.js';
import { unsettledError } from './unsettled-error.js';

const NOWHERE: readonly number[] = [];

/** What a send needs of its topic. */
export interface SendHost {
  readonly topic: string;
  /** Of the delay queue, for errors. */
  readonly name: string;
  /** Room was found for it: it may go. */
  admitted(send: PendingSend): void;
  /** Joins the lane of a region, which was chosen by `map`. */
  join(send: PendingSend, map: TopicMap, index: number, onlyIfPresent: boolean): void;
  /** Its promise has settled. */
  finished(send: PendingSend): void;
  /** It has settled and the engine has nothing to do with it. */
  released(send: PendingSend): void;
}

/**
 * One send on its way: waiting for room, for the registry, for an older send of its id, for its batch, for the
 * engine's answer, for another try. Settles exactly once, at the latest at its deadline.
 */
export class PendingSend extends Pending implements LaneItem, Routable, RoomSeeker, ChainLink<PendingSend> {
  readonly id: string;
  readonly weight: number;
  settled = false;
  follower: PendingSend | undefined;
  /** Whether it counts among `maxPending`. */
  hasRoom = false;
  /** Whether its chain let it go. */
  isOnItsWay = false;
  private isInEngine = false;
  /** Whether a try whose answer was lost may have stored it. */
  private isLost = false;
  private lastError: DelayQueueError | undefined;
  /** Former homes, and how many of them answered that it is not there. */
  private former = NOWHERE;
  private absences = 0;
  private map: TopicMap | undefined;

  constructor(
    private readonly message: PreparedMessage,
    private readonly sentMs: number,
    private readonly host: SendHost,
    private readonly resolve: (result: SendResult) => void,
    private readonly reject: (error: DelayQueueError) => void,
  ) {
    super(sentMs + message.timeoutMs);
    this.id = message.id;
    this.weight = message.weight;
  }

  /** Whether another send may have the same id. */
  get mayCollide(): boolean {
    return this.message.mayCollide;
  }

  get request(): this {
    return this;
  }

  /** When it is due, as the engine gets it: its delay is less the time it has waited here. `last` itself if equal. */
  due(nowMs: number, last: Due | undefined): Due {
    const { at } = this.message;
    if (at !== undefined) return { at };
    const delayMs = Math.max(0, this.message.delayMs - Math.floor(nowMs - this.sentMs));
    return last !== undefined && 'delayMs' in last && last.delayMs === delayMs ? last : { delayMs };
  }

  /** The message as the engine gets it. */
  put(due: Due): PutMessage {
    const { id, content, headers, onDuplicate, generated } = this.message;
    // a generated id meets only itself, after a lost answer: replacing it could run it twice
    const duplicate = onDuplicate === 'replace' && !generated ? 'replace' : 'keep';
    return headers === undefined
      ? { id, due, content, onDuplicate: duplicate }
      : { id, due, content, onDuplicate: duplicate, headers };
  }

  admitted(): void {
    this.hasRoom = true;
    this.host.admitted(this);
  }

  route(map: TopicMap): void {
    // a generated id can only be at a former home if a lost try put it there
    this.former = this.message.generated && !this.isLost ? NOWHERE : map.formerHomes(this.id);
    this.absences = 0;
    this.join(map);
  }

  sent(): void {
    this.isInEngine = true;
  }

  back(): void {
    this.isInEngine = false;
    if (this.settled) this.host.released(this);
  }

  /** What the engine made of it. */
  answer(outcome: PutOutcome): void {
    if (this.settled) return;
    switch (outcome.outcome) {
      case 'absent':
        this.absences++;
        if (this.map !== undefined) this.join(this.map);
        return;
      case 'refused':
        return this.refuse(
          new DelayQueueError(
            'STORE_FULL',
            `sending to '${this.host.topic}' was refused: the store holds maxMessages messages; try again later`,
          ),
          false,
        );
      case 'duplicate':
        return this.duplicate(outcome.state);
      case 'stored':
      case 'replaced':
      case 'queued':
        return this.succeed({ id: this.id, outcome: outcome.outcome });
    }
  }

  missed(error: DelayQueueError, unknown: boolean): void {
    this.lastError = error;
    this.isLost ||= unknown;
  }

  refuse(error: DelayQueueError, unknown: boolean): void {
    const mayBeStored = this.isLost || unknown;
    this.fail(
      mayBeStored === error.mayBeStored
        ? error
        : new DelayQueueError(error.code, error.message, { mayBeStored, cause: error }),
    );
  }

  override expire(): void {
    this.giveUp(`did not settle within ${this.message.timeoutMs} ms`, this.lastError);
  }

  override abandon(): void {
    this.giveUp('was given up', closedError(this.host.name));
  }

  private join(map: TopicMap): void {
    this.map = map;
    const formerHome = this.former[this.absences];
    this.host.join(this, map, formerHome ?? map.home(this.id), formerHome !== undefined);
  }

  private duplicate(state: MessageState): void {
    const { id, message, isLost } = this;
    if (message.generated && isLost) return this.succeed({ id, outcome: 'stored' });
    if (message.onDuplicate !== 'reject') return this.succeed({ id, outcome: 'duplicate', state });
    this.fail(
      new DelayQueueError(
        'DUPLICATE',
        `a message '${id}' of topic '${this.host.topic}' exists and is ${state}; onDuplicate is 'reject'`,
        { state, mayBeStored: isLost },
      ),
    );
  }

  private giveUp(why: string, last: DelayQueueError | undefined): void {
    const what = `sending '${this.id}' to '${this.host.topic}'`;
    this.fail(unsettledError(what, why, last, this.isLost || this.isInEngine));
  }

  private succeed(result: SendResult): void {
    this.finish();
    this.resolve(result);
  }

  private fail(error: DelayQueueError): void {
    this.finish();
    this.reject(error);
  }

  private finish(): void {
    this.settled = true;
    this.host.finished(this);
    if (!this.isInEngine) this.host.released(this);
  }
}
