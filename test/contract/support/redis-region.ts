import type { DumpedKey } from './redis-dump.js';
import { readVersion, type Envelope } from './redis-envelope.js';
import type { RegionSnapshot, StoredId, StoredVersion } from './snapshot.js';

/** The keys of one region by the part of their name after the hash tag. */
export type RegionDump = ReadonlyMap<string, DumpedKey>;

/** A region read raw, with the broken rules. */
export interface ReadRegion {
  readonly snapshot: RegionSnapshot;
  readonly violations: readonly string[];
}

const NO_COUNTS = { deliveries: 0, failures: 0, crashes: 0 };

/**
 * Reads one region by the documented key table and checks it: one state per id, nothing without its
 * counterpart, times that are whole and in both places, no key that is not in the table.
 *
 * @param latest the latest time that the clock ever showed
 */
export function readRedisRegion(dump: RegionDump, latest: number): ReadRegion {
  const violations: string[] = [];
  const broken = (text: string) => void violations.push(text);
  const keys = new RegionKeys(dump, broken);
  const due = keys.zset('due');
  const bodies = keys.hash('message');
  const retries = keys.hash('retries');
  const leases = keys.zset('leases');
  const next = keys.hash('next');
  const dead = keys.zset('dead');
  const records = keys.hash('dead-message');
  const seen = keys.zset('seen');
  const paused = keys.text('paused');
  const epoch = keys.text('epoch');
  const held = keys.held();
  keys.nothingElse();

  const holders = new Map<string, string>();
  for (const [token, ids] of held) {
    if (!leases.has(token)) broken(`held:${token} has no lease`);
    for (const id of ids) {
      if (holders.has(id)) broken(`${id} is held by ${holders.get(id)} and by ${token}`);
      holders.set(id, token);
    }
  }
  for (const token of leases.keys()) if (!held.has(token)) broken(`lease ${token} holds nothing`);
  for (const [name, times] of Object.entries({ due, leases, dead, seen })) {
    for (const [member, at] of times) {
      if (!Number.isSafeInteger(at) || at < 0) broken(`${name}: the time of ${member} is ${at}`);
    }
  }

  const ids = new Map<string, StoredId>();
  for (const [id, text] of bodies) {
    const at = due.get(id);
    const lease = holders.get(id);
    if ((at === undefined) === (lease === undefined)) {
      broken(
        `${id} has a body and is ${at === undefined ? 'neither waiting nor running' : 'waiting and running'}`,
      );
    }
    if (dead.has(id)) broken(`${id} is dead and alive`);
    const follower = next.get(id);
    ids.set(id, {
      state: at === undefined ? 'running' : 'waiting',
      at: at ?? 0,
      ...stored(readVersion(text, id, broken)),
      ...counts(retries.get(id), id, broken),
      ...(lease === undefined ? undefined : { lease }),
      ...(follower === undefined ? undefined : { next: readFollower(follower, id, broken) }),
    });
  }
  for (const id of [...due.keys(), ...holders.keys()]) if (!bodies.has(id)) broken(`${id} has no body`);
  for (const id of retries.keys()) if (!bodies.has(id)) broken(`${id} has counts and no body`);
  for (const id of next.keys()) if (!holders.has(id)) broken(`${id} has a follower and does not run`);

  for (const [id, at] of dead) ids.set(id, readDead(records.get(id), id, at, broken));
  for (const id of records.keys()) if (!dead.has(id)) broken(`${id} has a dead record and is not dead`);
  for (const [id, until] of seen) {
    const other = ids.get(id);
    if (other === undefined) ids.set(id, { state: 'handled', at: until, ...NO_COUNTS });
    else if (until > latest) broken(`${id} is ${other.state} and handled`);
  }
  if (epoch !== undefined && !/^[1-9]\d*$/.test(epoch)) broken(`epoch is ${epoch}`);
  if (paused !== undefined && paused !== '1') broken(`paused is ${paused}`);
  return {
    snapshot: { ids, seen, leases, paused: paused !== undefined, epoch: Number(epoch ?? '0') },
    violations,
  };
}

type Report = (violation: string) => void;

/** Typed access to the keys of a region; reports what is of the wrong type or not in the table. */
class RegionKeys {
  private readonly left: Set<string>;

  constructor(
    private readonly dump: RegionDump,
    private readonly report: Report,
  ) {
    this.left = new Set(dump.keys());
  }

  zset(name: string): ReadonlyMap<string, number> {
    const key = this.take(name);
    if (key === undefined) return new Map();
    if (key.type === 'zset') return key.value;
    this.report(`${name} is a ${key.type}`);
    return new Map();
  }

  hash(name: string): ReadonlyMap<string, string> {
    const key = this.take(name);
    if (key === undefined) return new Map();
    if (key.type === 'hash') return key.value;
    this.report(`${name} is a ${key.type}`);
    return new Map();
  }

  text(name: string): string | undefined {
    const key = this.take(name);
    if (key === undefined) return undefined;
    if (key.type === 'string') return key.value;
    this.report(`${name} is a ${key.type}`);
    return undefined;
  }

  held(): ReadonlyMap<string, ReadonlySet<string>> {
    const sets = new Map<string, ReadonlySet<string>>();
    for (const name of [...this.left].filter((each) => each.startsWith('held:'))) {
      const key = this.take(name);
      if (key?.type === 'set') sets.set(name.slice('held:'.length), key.value);
      else this.report(`${name} is a ${key?.type}`);
    }
    return sets;
  }

  nothingElse(): void {
    for (const name of this.left) this.report(`the key ${name} is not in the table`);
  }

  private take(name: string): DumpedKey | undefined {
    this.left.delete(name);
    return this.dump.get(name);
  }
}

function counts(text: string | undefined, id: string, report: Report): typeof NO_COUNTS {
  if (text === undefined) return NO_COUNTS;
  const match = /^(\d+) (\d+) (\d+)$/.exec(text);
  const [deliveries, failures, crashes] = (match ?? []).slice(1).map(Number);
  if (deliveries === undefined || failures === undefined || crashes === undefined) {
    report(`the counts of ${id} are ${JSON.stringify(text)}`);
    return NO_COUNTS;
  }
  if (failures + crashes > deliveries) report(`${id} has more failures and crashes than deliveries: ${text}`);
  return { deliveries, failures, crashes };
}

function readFollower(text: string, id: string, report: Report): StoredVersion {
  const version = readVersion(text.slice(11), id, report);
  if (Number.parseInt(text.slice(0, 11), 16) !== version.dueAt)
    report(`the follower of ${id} has two due times`);
  return stored(version);
}

function readDead(text: string | undefined, id: string, at: number, report: Report): StoredId {
  const match = /^(\d+ \d+ \d+) (\d+)\n/.exec(text ?? '');
  if (text === undefined || match === null) {
    report(`${id} is dead without a record`);
    return { state: 'dead', at, ...NO_COUNTS };
  }
  const rest = Buffer.from(text.slice(match[0].length));
  const length = Number(match[2]);
  return {
    state: 'dead',
    at,
    ...counts(match[1], id, report),
    reason: rest.subarray(0, length).toString(),
    ...stored(readVersion(rest.subarray(length).toString(), id, report)),
  };
}

const stored = ({ dueAt, sentAt, content, headers }: Envelope): StoredVersion => ({
  dueAt,
  sentAt,
  content,
  headers,
});
