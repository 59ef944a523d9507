import { DelayQueueError } from '../errors.js';
import { rejected } from '../rejected.js';
import type { Deadlines } from './deadlines.js';
import { Pending } from './pending.js';

/** An engine call that is silent for so long counts as lost: its outcome is unknown, its ids are free. */
const LOST_AFTER_MS = 30_000;

/** Who keeps book of the calls under way. */
export interface CallKeeper {
  readonly deadlines: Deadlines;
  /** The number of calls under way changes by so many. */
  underWay(change: 1 | -1): void;
}

/** One engine call: exactly one of its two ends is called, also when the engine never answers, or answers late. */
export class LaneCall<Answer> extends Pending {
  private over = false;

  constructor(
    nowMs: number,
    private readonly keeper: CallKeeper,
    private readonly answered: (answer: Answer) => void,
    private readonly failed: (error: unknown) => void,
  ) {
    super(nowMs + LOST_AFTER_MS);
  }

  /** Makes the call; what it throws is as good as a rejection. */
  start(call: () => Promise<Answer>): void {
    this.keeper.underWay(1);
    this.keeper.deadlines.add(this);
    let answer: Promise<Answer>;
    try {
      answer = call();
    } catch (error) {
      answer = rejected(error as Error);
    }
    answer.then(
      (value) => {
        if (this.end()) this.answered(value);
      },
      (error: unknown) => {
        if (this.end()) this.failed(error);
      },
    );
  }

  override expire(): void {
    const message = `the store gave no answer within ${LOST_AFTER_MS} ms`;
    if (this.end()) this.failed(new DelayQueueError('TIMEOUT', message, { mayBeStored: true }));
  }

  override abandon(): void {
    this.end();
  }

  private end(): boolean {
    if (this.over) return false;
    this.over = true;
    this.keeper.deadlines.remove(this);
    this.keeper.underWay(-1);
    return true;
  }
}
