import { isDeepStrictEqual } from 'node:util';
import type { RegionSnapshot, StoredId } from '../contract/support/snapshot.js';
import { ANY_REASON, type ModelId, type ModelRegion } from './model-region.js';

/** Sentences, one for each difference between what a region must hold and what it holds. */
export function differences(model: ModelRegion, real: RegionSnapshot, now: number): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, expected: unknown, actual: unknown) => {
    if (!isDeepStrictEqual(expected, actual))
      found.push(`${what}: expected ${show(expected)}, found ${show(actual)}`);
  };
  const live = new Map([...real.ids].filter(([, { state }]) => state !== 'handled'));
  for (const id of new Set([...model.ids.keys(), ...live.keys()])) {
    const expected = model.ids.get(id);
    const actual = live.get(id);
    compare(id, expected && plain(expected, actual), actual && { ...actual });
  }
  compare('leases', sorted(model.leases), sorted(real.leases));
  compare('paused', model.paused, real.paused);
  compare('epoch', model.epoch, real.epoch);
  const current = (seen: ReadonlyMap<string, number>) =>
    sorted(new Map([...seen].filter(([, at]) => at > now)));
  compare('seen', current(model.seen), current(real.seen));
  return found;
}

/** A store may forget handled ids once their time is over; what it forgot stays forgotten if time is set back. */
export function forget(model: ModelRegion, real: RegionSnapshot, now: number): void {
  for (const [id, until] of model.seen) if (until <= now && !real.seen.has(id)) model.seen.delete(id);
}

function plain({ version, reason, ...rest }: ModelId, actual: StoredId | undefined): StoredId {
  const told = reason === ANY_REASON && actual?.reason !== undefined ? actual.reason : reason;
  return { ...rest, ...version, ...(told === undefined ? undefined : { reason: told }) };
}

const sorted = (map: ReadonlyMap<string, number>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
