// oxlint-disable-next-line typescript/triple-slash-reference -- the library has no types
/// <reference path="../../packages/redis/src/connections/cluster-key-slot.d.ts" />
import calculateSlot from 'cluster-key-slot';

/** The slot of a key in a Cluster. */
export const slotOf = (key: string): number => calculateSlot(key);
