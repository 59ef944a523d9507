/**
 * Picks the isolation region of a message from its id.
 *
 * Must be a pure function of its arguments, the same in every process, for ever: ids are found again by it.
 */
export interface IsolationRegionSelector {
  /** Kept in the registry; a process that comes with another name for the same topic does not boot. */
  readonly name: string;
  /** The 0-based region of `id` among `regions`. */
  select(id: string, regions: number): number;
}

/**
 * The default selector: even over regions and stable, so that growing from `a` to `b` regions moves only
 * `1 - a/b` of the ids. Idea: "A Fast, Minimal Memory, Consistent Hash Algorithm", Lamping and Veach, 2014,
 * here with a 32-bit generator.
 */
export const jumpHashSelector: IsolationRegionSelector = {
  name: 'jump-hash-1',
  select(id, regions) {
    let state = hash(id);
    let bucket = 0;
    let next = 0;
    while (next < regions) {
      bucket = next;
      state = (state + 0x9e3779b9) | 0;
      next = Math.floor((bucket + 1) / ((mix(state) + 1) / 0x1_0000_0001));
    }
    return bucket;
  },
};

/** FNV-1a over UTF-16 code units, finished by `mix`. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return mix(value);
}

/** The 32-bit finaliser of MurmurHash3 (public domain, Austin Appleby): every input bit reaches every output bit. */
function mix(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
