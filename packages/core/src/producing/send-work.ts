import type { Clock } from '../clock.js';
import type { DelayEngine, Due, PutMessage, PutOutcome } from '../engine.js';
import type { PendingSend } from './pending-send.js';
import type { LaneWork } from './region-lane.js';

/** Tells a consumer in the same process that a region has a message due at `at`. */
export type Hint = (index: number, at: number) => void;

const MAX_BATCH = 500;

/**
 * Puts messages, 500 to a call. `hintOf` gives the topic's consumer in this process, if there is one: it need
 * not wait for the store to tell it what it can be told here.
 */
export function sendWork(
  engine: DelayEngine,
  clock: Clock,
  onlyIfPresent: boolean,
  hintOf: () => Hint | undefined,
): LaneWork<PendingSend, PutOutcome> {
  return {
    name: 'sending',
    maxItems: MAX_BATCH,
    idsRepeat: false,
    call(region, sends, epoch) {
      const now = clock.monotonic();
      let due: Due | undefined;
      const messages = sends.map((send) => send.put((due = send.due(now, due))));
      const answer = engine.put(region, messages, onlyIfPresent ? { epoch, onlyIfPresent } : { epoch });
      const hint = hintOf();
      if (hint === undefined) return answer;
      return answer.then((outcomes) => {
        if (outcomes !== 'moved') hint(region.index, earliest(messages, clock.now()));
        return outcomes;
      });
    },
    outcome: (send, outcome) => send.answer(outcome),
  };
}

function earliest(messages: readonly PutMessage[], now: number): number {
  let at = Number.POSITIVE_INFINITY;
  for (const { due } of messages) at = Math.min(at, 'at' in due ? due.at : now + due.delayMs);
  return at;
}
