import type { Run } from './accounts.js';
import type { Books } from './books.js';
import type { Rerun } from './check-runs.js';
import type { Remembered } from './forget-lost.js';
import type { Entry } from './journal.js';
import { lateness } from './lateness.js';

/** What a handler asked for by throwing is no second delivery. */
const ASKED_FOR = 'the handler threw';
const SHARES = [0.5, 0.99, 0.999, 1];

/** What became of it, for people: the books, lateness, the faults, and every second delivery with its cause. */
export function soakReport(
  title: string,
  books: Books,
  entries: readonly Entry[],
  forgotten: Remembered['forgotten'],
): string {
  const { sent, handled, cancelled, replaced, dead, pending, duplicates, refused, unknown, unknownStored } =
    books;
  const beginMs = entries[0]?.at ?? 0;
  const minutes = ((entries.at(-1)?.at ?? beginMs) - beginMs) / 60_000;
  const twice = books.reruns.filter(({ cause }) => cause.why !== ASKED_FOR);
  return [
    `${title}: books of ${minutes.toFixed(1)} minutes`,
    `  ${sent} sent = ${handled} handled + ${cancelled} cancelled + ${replaced} replaced + ${dead} dead + ${pending} pending`,
    `  ${books.moved} moved, ${duplicates} sends found their id taken, ${refused} were refused, ${unknown} of unknown outcome (${unknownStored} stored)`,
    `  ${books.runs} deliveries, ${books.again[ASKED_FOR] ?? 0} of them because a handler threw, ${twice.length} for the reasons below`,
    `Lateness of first deliveries, outages included: ${quantiles(lateness(entries))}`,
    `Faults: ${counted(namesOf(entries))}`,
    `Signals: ${counted(signalsOf(entries))}`,
    `Second deliveries: ${counted(twice.map(({ cause }) => cause.why)) || 'none'}`,
    ...twice.map((rerun) => `  ${line(rerun, beginMs)}`),
    `Deliveries that a failover lost, so that they came again: ${forgotten.length || 'none'}`,
    ...forgotten.map(({ start, loss }) => {
      const { id, by, at, attempt } = start;
      return `  ${id}: ${by} at ${since(beginMs, at)} (attempt ${attempt}), lost at ${since(beginMs, loss.to)}`;
    }),
    `Unexplained: ${books.violations.length}`,
  ].join('\n');
}

const since = (beginMs: number, at: number) => `${((at - beginMs) / 1000).toFixed(3)} s`;

function line({ before, run, cause }: Rerun, beginMs: number): string {
  const when = (at: number) => since(beginMs, at);
  const part = ({ by, startedAt, attempt }: Run) => `${by} at ${when(startedAt)} (attempt ${attempt})`;
  const at = cause.at === undefined ? '' : `, at ${when(cause.at)}`;
  return `${run.id}: ${part(before)}, then ${part(run)}: ${cause.why}${at}`;
}

function quantiles(sorted: readonly number[]): string {
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  return SHARES.map((share) => `${share === 1 ? 'max' : `p${share * 100}`} ${at(share)} ms`).join(', ');
}

const namesOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.event === 'fault began' ? [entry.fault] : []));

const signalsOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) => (entry.event === 'signalled' ? [entry.signal] : []));

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ×${count}`).join(', ');
}
