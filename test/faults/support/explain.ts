import type { Ledger, Run, Span } from './accounts.js';
import type { Call } from './calls.js';

/** How long the verdict of a handler that has returned may be on its way to Redis, on a busy machine. */
const SETTLE_MS = 2_000;
/** A verdict that Redis did not take is repeated; after an outage it takes no longer than this. */
const REPEATED_MS = 6_000;
/** A process says so when it next hears of its lease. */
const LEASE_NEWS_MS = 10_000;

/** A recorded event that explains something, and its time where it has one. */
export interface Cause {
  readonly why: string;
  readonly at?: number;
}

/**
 * The recorded event because of which a message that ran once ran again, or may run again; `undefined` if there is
 * none.
 *
 * @param again when it ran again
 */
export function whyAgain(run: Run, again: number, ledger: Ledger): Cause | undefined {
  if (run.threwAt !== undefined && run.threwAt <= again) return { why: 'the handler threw', at: run.threwAt };
  const kill = ledger.kills.get(run.by);
  if (kill !== undefined && run.startedAt <= kill.to && kill.from <= again) {
    if ((run.finishedAt ?? Infinity) >= kill.from - SETTLE_MS) return { why: 'kill -9', at: kill.from };
    const fault = outageUntil(kill, run, ledger);
    if (fault !== undefined) return { why: `kill -9 after ${fault.name}`, at: kill.from };
  }
  if (run.aborted === 'draining') return { why: 'SIGTERM past the drain' };
  if (run.aborted === 'lease-expired') return { why: 'the lease ran out' };
  const news = (run.finishedAt ?? again) + LEASE_NEWS_MS;
  const lostAt = ledger.lostLeases.get(run.by)?.find((at) => at >= run.startedAt && at <= news);
  if (lostAt !== undefined) return { why: 'the lease was lost', at: lostAt };
  const stop = ledger.stops.get(run.by);
  if (stop !== undefined && stop.from <= again) {
    const fault = outageUntil(stop, run, ledger);
    if (fault !== undefined) return { why: `SIGTERM during ${fault.name}`, at: stop.from };
  }
  // The answer to its verdict may have been on its way.
  const until = run.finishedAt === undefined ? Infinity : run.finishedAt + SETTLE_MS;
  const stood = ledger.standstills.find(
    ({ name, from, to }) => name === run.by && from <= until && from <= again && to >= run.startedAt,
  );
  return stood && { why: 'the process stood still', at: stood.from };
}

/** The fault that kept a verdict from Redis until its process came to its end. */
function outageUntil(end: Span, { finishedAt = Infinity }: Run, { faults }: Ledger): Span | undefined {
  return faults.find(
    ({ from, to }) =>
      from <= Math.min(finishedAt + SETTLE_MS, end.to) &&
      to >= Math.min(finishedAt, end.from) &&
      to >= end.from - REPEATED_MS,
  );
}

/**
 * The fault during which the first answer to a call may have got lost, so that it was made twice; or its process has
 * said that its store failed: a server that stood still of its own accord, or a silence that outlasted its fault.
 */
export function whyTwice({ by, at, answeredAt = Infinity }: Call, ledger: Ledger): Cause | undefined {
  const then = ({ from, to }: Span) => from <= answeredAt && to >= at;
  const fault = ledger.faults.find(then);
  if (fault !== undefined) return { why: `${fault.name}: sent twice`, at: fault.from };
  const outage = ledger.outages.find((span) => span.name === by && then(span));
  return outage && { why: 'the store failed: sent twice', at: outage.from };
}
