import type { Entry } from './journal.js';

type Delivery = Extract<Entry, { attempt: number }>;

/** The start of a handler. */
export type Start = Extract<Entry, { event: 'started' }>;

/** What a failover lost: the time in which nothing reached the replica, and whose messages are concerned. */
export interface Loss {
  from: number;
  to: number;
  concerns(start: Start): boolean;
}

/** The journals without the runs that a failover lost, and these. */
export interface Remembered {
  readonly kept: readonly Entry[];
  readonly forgotten: readonly { readonly start: Start; readonly loss: Loss }[];
}

/** A verdict may be on its way for so long, and a claimed message wait for its start. */
const ON_ITS_WAY_MS = 5_000;

/**
 * The journals as if nobody had run what the failover lost. Claims and verdicts are not waited for, so the new master
 * knows nothing of those in the time of the loss: where a message ran then, and again later, or the one that it had
 * replaced, the runs of then are left out. Their attempts are counted anew.
 */
export function forgetLost(entries: readonly Entry[], loss: Loss): Remembered {
  const left = new Set<Entry>();
  const forgotten: { start: Start; loss: Loss }[] = [];
  for (const deliveries of deliveriesById(entries)) {
    const starts = deliveries.filter((entry) => entry.event === 'started');
    if (starts.length < 2 || !starts.every((start) => loss.concerns(start))) continue;
    for (const [i, start] of starts.slice(0, -1).entries()) {
      const later = starts.slice(i + 1);
      if (!later.some(({ sentAt }) => sentAt <= start.sentAt)) continue;
      const next = later.find((other) => isOf(start, other))?.at ?? Infinity;
      const run = deliveries.filter((entry) => isOf(start, entry) && entry.at >= start.at && entry.at < next);
      const ended = run.find(({ event }) => event === 'finished' || event === 'threw')?.at ?? Infinity;
      if (start.at > loss.to + ON_ITS_WAY_MS || ended < loss.from - ON_ITS_WAY_MS) continue;
      for (const entry of [start, ...run]) left.add(entry);
      forgotten.push({ start, loss });
    }
  }
  return { kept: entries.filter((entry) => !left.has(entry)), forgotten };
}

/** The same for one failover after the other. */
export function forgetLosses(entries: readonly Entry[], losses: readonly Loss[]): Remembered {
  return losses.reduce<Remembered>(
    (before, loss) => {
      const { kept, forgotten } = forgetLost(before.kept, loss);
      return { kept, forgotten: [...before.forgotten, ...forgotten] };
    },
    { kept: entries, forgotten: [] },
  );
}

/** What a message's deliveries wrote down, message by message. */
function deliveriesById(entries: readonly Entry[]): Iterable<readonly Delivery[]> {
  const found = new Map<string, Delivery[]>();
  for (const entry of entries) {
    if (!('attempt' in entry)) continue;
    const deliveries = found.get(entry.id);
    if (deliveries === undefined) found.set(entry.id, [entry]);
    else deliveries.push(entry);
  }
  return found.values();
}

const isOf = (start: Start, other: Delivery): boolean =>
  other.by === start.by &&
  other.id === start.id &&
  other.sentAt === start.sentAt &&
  other.attempt === start.attempt;
