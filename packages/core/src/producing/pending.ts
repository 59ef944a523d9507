/** Something that is over at the latest at its deadline. Kept by `Deadlines`. */
export abstract class Pending {
  /** Where `Deadlines` keeps it; -1: nowhere. */
  slot = -1;

  /** `deadlineMs` counts on the clock's monotonic time. */
  constructor(readonly deadlineMs: number) {}

  /** Called at the deadline, once, after it was removed. Must not throw. */
  abstract expire(): void;

  /** Called instead when the delay queue closes. Must not throw. */
  abstract abandon(): void;
}
