import type { Lease } from './leases.js';

/** Not in the wheel. */
export const NO_TIMER = -1;

/** One message as the store holds it. Waiting: `timer` is set; running: `lease` is set; dead: `reason` is set. */
export class Entry {
  deliveries = 0;
  failures = 0;
  crashes = 0;
  /** Handle in the region's wheel while it waits. */
  timer = NO_TIMER;
  /** The claim that holds it while it runs. */
  lease: Lease | undefined = undefined;
  /** The version that follows when the running one is over. */
  follower: Entry | undefined = undefined;
  /** Why it is dead. */
  reason: string | undefined = undefined;
  /** When it died. */
  diedAt = 0;

  constructor(
    readonly id: string,
    readonly content: string,
    readonly headers: Readonly<Record<string, string>> | undefined,
    /** When it was, or is to be, due: what its handler is told. */
    public dueAt: number,
    readonly sentAt: number,
  ) {}
}
