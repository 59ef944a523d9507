import type { MemoryStore } from '@delay-queue/memory';
import type { RegionSnapshot, StoredId, StoredVersion } from './snapshot.js';

type Namespace = ReturnType<MemoryStore['namespace']>;
/** A region as the memory engine holds it. */
export type RegionState = ReturnType<Namespace['region']>;
type Entry = NonNullable<ReturnType<RegionState['live']['get']>>;

/** A region read raw, with the broken rules and the number of messages that count for `maxMessages`. */
export interface ReadRegion {
  readonly snapshot: RegionSnapshot;
  readonly violations: readonly string[];
  readonly messages: number;
}

/**
 * Reads one region past the engine.
 *
 * @param known all ids that were ever put: `seen` can only be asked by id
 * @param latest the latest time that the clock ever showed
 */
export function readMemoryRegion(state: RegionState, known: ReadonlySet<string>, latest: number): ReadRegion {
  const violations: string[] = [];
  const ids = new Map<string, StoredId>();
  let messages = 0;
  const add = (id: string, stored: StoredId) => {
    const other = ids.get(id);
    if (other !== undefined) violations.push(`${id} is ${other.state} and ${stored.state}`);
    ids.set(id, stored);
  };

  const timers = new Map<Entry, number>();
  let before = -Infinity;
  for (const [entry, at] of state.waiting.entries()) {
    if (timers.has(entry)) violations.push(`${entry.id} is in the wheel twice`);
    if (at < before) violations.push(`the wheel lists ${entry.id}, due ${at}, after ${before}`);
    before = at;
    timers.set(entry, at);
  }
  if (state.waiting.size !== timers.size) {
    violations.push(`the wheel counts ${state.waiting.size} and lists ${timers.size}`);
  }
  const first = Math.min(Infinity, ...timers.values());
  if (state.waiting.nextAt() !== first) violations.push(`next is ${state.waiting.nextAt()}, not ${first}`);

  for (const [id, entry] of state.live) {
    messages += entry.follower === undefined ? 1 : 2;
    const at = timers.get(entry);
    timers.delete(entry);
    if ((at === undefined) === (entry.lease === undefined)) {
      violations.push(`${id} is ${at === undefined ? 'neither waiting nor running' : 'waiting and running'}`);
    }
    if (entry.lease === undefined && entry.follower !== undefined)
      violations.push(`${id} waits with a follower`);
    if (entry.lease !== undefined && entry.lease.held.get(id) !== entry) violations.push(`${id} is not held`);
    if (entry.reason !== undefined) violations.push(`${id} is alive and has a reason to be dead`);
    add(id, {
      state: entry.lease === undefined ? 'waiting' : 'running',
      at: at ?? 0,
      ...version(entry),
      ...counts(entry),
      ...(entry.lease === undefined ? undefined : { lease: entry.lease.token }),
      ...(entry.follower === undefined ? undefined : { next: version(entry.follower) }),
    });
  }
  for (const { id } of timers.keys()) violations.push(`${id} is in the wheel and unknown`);

  for (const [id, entry] of state.dead) {
    messages += 1;
    if (entry.reason === undefined) violations.push(`${id} is dead without a reason`);
    if (entry.lease !== undefined || entry.follower !== undefined)
      violations.push(`${id} is dead and has a life`);
    add(id, {
      state: 'dead',
      at: entry.diedAt,
      ...version(entry),
      ...counts(entry),
      ...(entry.reason === undefined ? undefined : { reason: entry.reason }),
    });
  }

  const seen = new Map<string, number>();
  for (const id of known) {
    const until = state.seen.until(id, -Infinity);
    if (until === undefined) continue;
    seen.set(id, until);
    if (!ids.has(id)) ids.set(id, { state: 'handled', at: until, deliveries: 0, failures: 0, crashes: 0 });
    else if (until > latest) violations.push(`${id} is ${ids.get(id)?.state} and handled`);
  }
  if (seen.size !== state.seen.size) {
    violations.push(`${state.seen.size} ids are seen, ${seen.size} of them were ever put`);
  }

  const leases = new Map<string, number>();
  for (const lease of state.leases.inOrder()) {
    leases.set(lease.token, lease.expiresAt);
    if (lease.held.size === 0) violations.push(`lease ${lease.token} holds nothing`);
    for (const [id, entry] of lease.held) {
      if (state.live.get(id) !== entry || entry.lease !== lease) {
        violations.push(`lease ${lease.token} holds ${id}, which does not run under it`);
      }
    }
  }
  if (leases.size !== state.leases.size)
    violations.push(`${state.leases.size} leases, ${leases.size} of them expire`);
  return { snapshot: { ids, seen, leases, paused: state.paused, epoch: state.epoch }, violations, messages };
}

const version = ({ dueAt, sentAt, content, headers }: Entry): StoredVersion => ({
  dueAt,
  sentAt,
  content,
  headers: headers ?? {},
});

const counts = ({ deliveries, failures, crashes }: Entry) => ({ deliveries, failures, crashes });
