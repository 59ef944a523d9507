/** `Date` in a process that `programs/wrong-clock.ts` was loaded into. */
export type WrongDate = DateConstructor & { readonly machineNow?: () => number };

/** Epoch milliseconds by the machine's clock, also where a test has put that of the process wrong. */
export const machineNow: () => number = (Date as WrongDate).machineNow ?? Date.now;
