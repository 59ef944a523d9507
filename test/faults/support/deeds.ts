/** What the handlers of `programs/closing.ts` do; `putting`: dead letters, and messages put off to later. */
export type Deed = 'hanging' | 'too slow' | 'slow' | 'quick' | 'throwing' | 'putting';

/** The topic of what `slow` handlers send before they return, and of the last send before the stop. */
export const FOLLOW_UPS = 'follow-ups';

/** How the application of `programs/half-boot.ts` does not quite boot. */
export type Scene =
  'strict' | 'another part fails' | 'closed while it is made' | 'closed while it boots' | 'closed at once';

/** What the programs say that are told to stop. `waitedMs`: for so long, all in all, the machine kept it waiting for a processor. */
export type Said =
  | { event: 'ready' }
  | { event: 'stopping'; waitedMs: number }
  | { event: 'stopped'; waitedMs: number }
  | { event: 'started'; id: string; attempt: number }
  | { event: 'sent'; id: string; outcome: string }
  | { event: 'finished'; id: string }
  | { event: 'aborted'; id: string; why: string }
  | { event: 'closed'; code: string; active: readonly string[] }
  | { event: 'failed'; message: string }
  | {
      event: 'left';
      cycles: number;
      handled: number;
      listeners: readonly string[][];
      connections: number;
      heapBytes: number;
    }
  | { event: 'warning'; message: string }
  | { event: 'unhandled'; message: string };

/** The same with the time at which it was said, in milliseconds from the start of the process. */
export type Line = Said & { readonly at: number };
