import type { Ledger, Run } from './accounts.js';
import type { Call } from './calls.js';

/** How long the verdict of a handler that has returned may be on its way to Redis, on a busy machine. */
const SETTLE_MS = 2_000;
/** A process says so when it next hears of its lease. */
const LEASE_NEWS_MS = 10_000;

/**
 * The recorded event because of which a message that ran once ran again, or may run again; `undefined` if there is
 * none.
 *
 * @param again when it ran again
 */
export function whyAgain(run: Run, again: number, ledger: Ledger): string | undefined {
  if (run.threwAt !== undefined && run.threwAt <= again) return 'the handler threw';
  const kill = ledger.kills.get(run.by);
  if (kill !== undefined && run.startedAt <= kill.to && kill.from <= again) {
    if (run.finishedAt === undefined || run.finishedAt >= kill.from - SETTLE_MS) return 'kill -9';
  }
  if (run.aborted === 'draining') return 'SIGTERM past the drain';
  if (run.aborted === 'lease-expired') return 'the lease ran out';
  const news = (run.finishedAt ?? again) + LEASE_NEWS_MS;
  if (ledger.lostLeases.get(run.by)?.some((at) => at >= run.startedAt && at <= news)) {
    return 'the lease was lost';
  }
  // The answer to its verdict may have been on its way.
  const until = run.finishedAt === undefined ? Infinity : run.finishedAt + SETTLE_MS;
  const stood = ledger.standstills.find(
    ({ name, from, to }) => name === run.by && from <= until && from <= again && to >= run.startedAt,
  );
  if (stood !== undefined) return 'the process stood still';
  return undefined;
}

/** The fault during which the first answer to a call may have got lost, so that it was made twice. */
export function whyTwice({ at, answeredAt }: Call, ledger: Ledger): string | undefined {
  const fault = ledger.faults.find(({ from, to }) => from <= (answeredAt ?? Infinity) && to >= at);
  return fault && `${fault.name}: sent twice`;
}
