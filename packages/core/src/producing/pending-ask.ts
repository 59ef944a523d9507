import { DelayQueueError } from '../errors.js';
import type { TopicMap } from '../topic-map.js';
import { closedError } from './closed-error.js';
import { Pending } from './pending.js';
import type { LaneItem, Routable } from './routable.js';
import { unsettledError } from './unsettled-error.js';

/** One kind of question about an id: cancel, reschedule or find. */
export interface Question<Outcome> {
  /** Such as `cancelling`. */
  readonly name: string;
  /** Whether asking changes something, so that a lost answer leaves a doubt. */
  readonly changes: boolean;
  /** The outcomes by weight, the one that counts most first; the last one says that the id is not there. */
  rank(outcome: Outcome): number;
  /** The rank that says so. */
  readonly unknownRank: number;
}

/** What a question needs of its topic. */
export interface AskHost<Outcome> {
  readonly topic: string;
  /** Of the delay queue, for errors. */
  readonly name: string;
  readonly timeoutMs: number;
  readonly question: Question<Outcome>;
  /** Joins the lane of a region. */
  join(part: AskPart<Outcome>, index: number): void;
  /** Its promise has settled. */
  finished(ask: PendingAsk<Outcome>): void;
}

/**
 * A question about an id, asked at all its homes. Repeated within its timeout; the answer that counts most is
 * the answer. "Not there" after a lost try is none: the try may have made it so.
 */
export class PendingAsk<Outcome> extends Pending implements Routable {
  settled = false;
  private round = 0;
  private awaited = 0;
  private inEngine = 0;
  private best: Outcome | undefined;
  private isLost = false;
  private lastError: DelayQueueError | undefined;

  /** `delayMs` is for `reschedule`. */
  constructor(
    readonly id: string,
    private readonly delayMs: number,
    private readonly askedMs: number,
    private readonly host: AskHost<Outcome>,
    private readonly resolve: (outcome: Outcome) => void,
    private readonly reject: (error: DelayQueueError) => void,
  ) {
    super(askedMs + host.timeoutMs);
  }

  /** The delay less the time it has waited here. */
  remainingDelayMs(nowMs: number): number {
    return Math.max(0, this.delayMs - Math.floor(nowMs - this.askedMs));
  }

  /** The number of the current round: an answer to an earlier one counts, but is not waited for any more. */
  get currentRound(): number {
    return this.round;
  }

  route(map: TopicMap): void {
    this.round++;
    const homes = [map.home(this.id), ...map.formerHomes(this.id)];
    this.awaited = homes.length;
    for (const index of homes) this.host.join(new AskPart(this, this.round), index);
  }

  sent(): void {
    this.inEngine++;
  }

  back(): void {
    this.inEngine--;
    if (this.awaited === 0 && this.inEngine === 0 && !this.settled) this.conclude();
  }

  answer(outcome: Outcome, round: number): void {
    const { question } = this.host;
    if (this.best === undefined || question.rank(outcome) < question.rank(this.best)) this.best = outcome;
    if (round === this.round) this.awaited--;
  }

  missed(error: DelayQueueError, unknown: boolean): void {
    this.lastError = error;
    this.isLost ||= unknown;
  }

  refuse(error: DelayQueueError, unknown: boolean): void {
    if (this.settled) return;
    this.missed(error, unknown);
    const mayBeStored = this.mayHaveChanged;
    this.fail(
      mayBeStored === error.mayBeStored
        ? error
        : new DelayQueueError(error.code, error.message, { mayBeStored, cause: error }),
    );
  }

  override expire(): void {
    this.giveUp(`did not settle within ${this.host.timeoutMs} ms`, this.lastError);
  }

  override abandon(): void {
    this.giveUp('was given up', closedError(this.host.name));
  }

  private conclude(): void {
    const { best } = this;
    const { question } = this.host;
    if (best === undefined) return;
    if (question.changes && this.isLost && question.rank(best) === question.unknownRank) {
      return this.giveUp('got its answer lost: the id is not there now', this.lastError);
    }
    this.finish();
    this.resolve(best);
  }

  private giveUp(why: string, last: DelayQueueError | undefined): void {
    const { question, topic } = this.host;
    const doubt = this.mayHaveChanged || (question.changes && this.inEngine > 0);
    this.fail(unsettledError(`${question.name} '${this.id}' of '${topic}'`, why, last, doubt));
  }

  /** An answer was lost, or one home has answered that the id is there, while another one cannot. */
  private get mayHaveChanged(): boolean {
    const { best, isLost } = this;
    const { question } = this.host;
    const isFound = best !== undefined && question.rank(best) !== question.unknownRank;
    return question.changes && (isLost || isFound);
  }

  private fail(error: DelayQueueError): void {
    this.finish();
    this.reject(error);
  }

  private finish(): void {
    this.settled = true;
    this.host.finished(this);
  }
}

/** The share of one home in a question. */
export class AskPart<Outcome> implements LaneItem {
  readonly weight = 64;

  constructor(
    readonly request: PendingAsk<Outcome>,
    private readonly round: number,
  ) {}

  get id(): string {
    return this.request.id;
  }

  get settled(): boolean {
    return this.request.settled || this.round !== this.request.currentRound;
  }

  sent(): void {
    this.request.sent();
  }

  answer(outcome: Outcome): void {
    this.request.answer(outcome, this.round);
  }

  back(): void {
    this.request.back();
  }
}
