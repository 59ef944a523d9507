/** How a handler ends that has blocked its process. */
export const LATE_ENDS = ['returns', 'throws', 'asks for later', 'gives up'] as const;
export type LateEnd = (typeof LATE_ENDS)[number];

/**
 * What running a message does to its process. `hangs`: its handler never ends. `blocks`: for `ms` nothing else in
 * the process gets a turn; `later`: its handler waits a moment after that before it ends. Both only in the first
 * delivery; in the next ones they return at once. `kills` and `crashes`: the process is gone, in every delivery, by a
 * signal or by an error that nobody catches.
 */
export type Trouble =
  | { readonly kind: 'works'; readonly ms: number }
  | { readonly kind: 'hangs' }
  | { readonly kind: 'blocks'; readonly ms: number; readonly end: LateEnd; readonly later: boolean }
  | { readonly kind: 'kills' | 'crashes' };

/** Messages that `programs/burst.ts` sends: their ids are `name-0`, `name-1` and so on. */
export interface Burst {
  readonly name: string;
  readonly count: number;
  /** The delay of each is between the two, evenly spread. */
  readonly delayMs: readonly [from: number, to: number];
  readonly trouble: Trouble;
}
