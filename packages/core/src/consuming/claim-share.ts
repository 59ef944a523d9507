/** A claim of fewer costs the store and us more per message than it saves by running beside others. */
const WORTHWHILE = 32;
/** More claims beside each other gain nothing: they only get smaller. */
const MOST_LANES = 2;
/** Where so much can be held or more, only half of it is asked for at a time. */
const HALVED_FROM = 256;
/** What is asked of a region whose last claim was not filled: enough to find out whether it has more. */
const PROBE = 8;
/** The most in one claim, so that the store is not held up by one. */
const MOST = 500;

/** What the slots of a topic hold and could hold. */
export interface Load {
  readonly concurrency: number;
  /** What may be held beyond the slots at the moment. */
  readonly room: number;
  /** Running and queued. */
  readonly held: number;
  /** What the claims under way may bring. */
  readonly asked: number;
}

/**
 * How many messages may be claimed now: none while every slot is taken or spoken for and less than half of what
 * can be held is free (so that under load claims are large), else all that is free. Where much can be held, half
 * of it at most is on its way at a time: the store gets the next half together while we run this one.
 */
export function claimable({ concurrency, room, held, asked }: Load): number {
  const capacity = concurrency + room;
  const atOnce = capacity < HALVED_FROM ? capacity : Math.ceil(capacity / 2);
  const free = Math.min(capacity - held, atOnce) - asked;
  if (free <= 0) return 0;
  const idleSlots = concurrency - held - asked;
  return idleSlots > 0 || free >= Math.floor(capacity / 2) ? free : 0;
}

/**
 * How many of `free` one of `candidates` regions is asked for: several regions are asked at once as long as each
 * claim stays large enough.
 */
export function shareOf(free: number, candidates: number, brisk: boolean): number {
  const lanes = Math.min(Math.max(Math.floor(free / WORTHWHILE), 1), candidates, MOST_LANES);
  const share = Math.min(Math.ceil(free / lanes), MOST);
  return brisk ? share : Math.min(share, PROBE);
}
