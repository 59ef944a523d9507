import type { Clock } from '../clock.js';
import type {
  CancelOutcome,
  DelayEngine,
  EngineInspector,
  RescheduleOutcome,
  StoredMessage,
} from '../engine.js';
import type { AskPart, Question } from './pending-ask.js';
import type { LaneWork } from './region-lane.js';
import type { Hint } from './send-work.js';

const MAX_CANCELS = 500;

/** A kind of question, and how it is put to the engine. */
export interface AskKind<Outcome> {
  readonly question: Question<Outcome>;
  readonly work: LaneWork<AskPart<Outcome>, Outcome>;
}

/** What `find` found, boxed: not to be there is an answer too. */
export interface Found {
  readonly message: StoredMessage | undefined;
}

/** Cancels, 500 to a call. */
export function cancelling(engine: DelayEngine): AskKind<CancelOutcome> {
  return {
    question: question('cancelling', ['cancelled', 'running', 'dead', 'handled', 'unknown']),
    work: {
      name: 'cancelling',
      maxItems: MAX_CANCELS,
      idsRepeat: true,
      call: (region, parts, epoch) =>
        engine.cancel(
          region,
          parts.map((part) => part.id),
          { epoch },
        ),
      outcome: (part, outcome) => part.answer(outcome),
    },
  };
}

/** Reschedules, one to a call. */
export function rescheduling(
  engine: DelayEngine,
  clock: Clock,
  hintOf: () => Hint | undefined,
): AskKind<RescheduleOutcome> {
  return {
    question: question('rescheduling', ['rescheduled', 'running', 'dead', 'handled', 'unknown']),
    work: {
      name: 'rescheduling',
      maxItems: 1,
      idsRepeat: false,
      async call(region, [part], epoch) {
        if (part === undefined) return [];
        const delayMs = part.request.remainingDelayMs(clock.monotonic());
        const outcome = await engine.reschedule(region, part.id, { delayMs }, { epoch });
        if (outcome === 'moved') return outcome;
        if (outcome === 'rescheduled') hintOf()?.(region.index, clock.now() + delayMs);
        return [outcome];
      },
      outcome: (part, outcome) => part.answer(outcome),
    },
  };
}

/** Finds, one to a call. */
export function finding(inspector: EngineInspector): AskKind<Found> {
  const states = ['running', 'waiting', 'dead', 'handled'];
  return {
    question: {
      name: 'finding',
      changes: false,
      rank: ({ message }) => (message === undefined ? states.length : states.indexOf(message.state)),
      unknownRank: states.length,
    },
    work: {
      name: 'finding',
      maxItems: 1,
      idsRepeat: false,
      async call(region, [part], epoch) {
        if (part === undefined) return [];
        const message = await inspector.find(region, part.id, { epoch });
        return message === 'moved' ? message : [{ message }];
      },
      outcome: (part, outcome) => part.answer(outcome),
    },
  };
}

/** A question that changes something; `outcomes` by weight. */
function question<Outcome extends string>(name: string, outcomes: readonly Outcome[]): Question<Outcome> {
  return {
    name,
    changes: true,
    rank: (outcome) => outcomes.indexOf(outcome),
    unknownRank: outcomes.length - 1,
  };
}
