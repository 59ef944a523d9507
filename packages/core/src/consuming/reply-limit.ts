import { clearTimeout, setTimeout } from 'node:timers';
import { DelayQueueError } from '../errors.js';
import { LinkedList, ListItem } from './linked-list.js';

/** A timer that comes later than by this part of its time tells that the process stood still. */
const STOOD_STILL = 0.1;

/** A call that has not been answered. */
class Call extends ListItem<Call> {
  constructor(
    public giveUpAt: number,
    readonly giveUp: () => void,
  ) {
    super();
  }
}

/**
 * A last line of defence: engines promise that every call settles, and if one of theirs never does, it must not
 * hold its region for ever. One timer for all calls, of real time even where the clock is simulated, as it is the
 * store that is waited for. A process that stood still could hear no answer, and may not even have got its calls
 * out: then the limit begins anew.
 */
export class ReplyLimit {
  readonly #calls = new LinkedList<Call>();
  #timer: NodeJS.Timeout | undefined;

  /** `limitMs` for every call. */
  constructor(private readonly limitMs: number) {}

  /**
   * What `call` comes to, or a rejection with `TIMEOUT` (it may have been carried out) when the limit has passed.
   * `late` gets what an abandoned call comes to after all.
   */
  within<T>(call: Promise<T>, late?: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      let abandoned = false;
      const pending = new Call(performance.now() + this.limitMs, () => {
        abandoned = true;
        this.#calls.delete(pending);
        reject(
          new DelayQueueError('TIMEOUT', `the store gave no answer within ${this.limitMs} ms`, {
            mayBeStored: true,
          }),
        );
      });
      this.#calls.add(pending);
      this.#timer ??= this.#arm(this.limitMs);
      call.then(
        (value) => {
          if (abandoned) return late?.(value);
          this.#calls.delete(pending);
          resolve(value);
        },
        (error: Error) => {
          if (abandoned) return;
          this.#calls.delete(pending);
          reject(error);
        },
      );
    });
  }

  /** Gives up all calls and leaves no timer. */
  close(): void {
    clearTimeout(this.#timer);
    for (const call of this.#calls.toArray()) call.giveUp();
  }

  #arm(ms: number): NodeJS.Timeout {
    const ringAt = performance.now() + ms;
    return setTimeout(() => {
      this.#timer = undefined;
      const now = performance.now();
      if (now - ringAt > this.limitMs * STOOD_STILL) this.#beginAnew(now);
      for (const call of this.#calls.toArray()) {
        if (call.giveUpAt > now) {
          this.#timer = this.#arm(Math.ceil(call.giveUpAt - now));
          return;
        }
        call.giveUp();
      }
    }, ms).unref();
  }

  #beginAnew(now: number): void {
    for (const call of this.#calls.toArray()) call.giveUpAt = now + this.limitMs;
  }
}
