import { describe } from 'vitest';
import { describeBursts } from './promises/bursts.js';
import { describeCancel } from './promises/cancel.js';
import { describeClaim } from './promises/claim.js';
import { describeClosing } from './promises/closing.js';
import { describeContents } from './promises/contents.js';
import { describeCounters } from './promises/counters.js';
import { describeDeadLetters } from './promises/dead-letters.js';
import { describeDedupe } from './promises/dedupe.js';
import { describeDelays } from './promises/delays.js';
import { describeEpochs } from './promises/epochs.js';
import { describeFollowUps } from './promises/follow-ups.js';
import { describeHints } from './promises/hints.js';
import { describeInspector } from './promises/inspector.js';
import { describeIsolation } from './promises/isolation.js';
import { describeLeases } from './promises/leases.js';
import { describeLookAt } from './promises/look-at.js';
import { describeOddNames } from './promises/odd-names.js';
import { describePause } from './promises/pause.js';
import { describePoison } from './promises/poison.js';
import { describePut } from './promises/put.js';
import { describePutIfPresent } from './promises/put-if-present.js';
import { describeRaces } from './promises/races.js';
import { describeRegionCounts } from './promises/region-counts.js';
import { describeReschedule } from './promises/reschedule.js';
import { describeSettle } from './promises/settle.js';
import { describeTopology } from './promises/topology.js';
import type { MakeStore } from './support/test-store.js';

const PROMISES: readonly ((make: MakeStore) => void)[] = [
  describePut,
  describePutIfPresent,
  describeCancel,
  describeReschedule,
  describeClaim,
  describeSettle,
  describeFollowUps,
  describeLeases,
  describePoison,
  describeCounters,
  describeDedupe,
  describeDeadLetters,
  describePause,
  describeInspector,
  describeLookAt,
  describeHints,
  describeEpochs,
  describeTopology,
  describeRegionCounts,
  describeIsolation,
  describeOddNames,
  describeContents,
  describeDelays,
  describeClosing,
  describeRaces,
  describeBursts,
];

/**
 * The contract of an engine, as tests: every promise of `packages/core/src/engine.ts` that an engine alone can
 * keep or break. An engine that passes it can stand behind the delay queue.
 *
 * @param make makes an empty store with any number of workers, and reads it raw
 */
export function describeEngine(name: string, make: MakeStore): void {
  describe(name, () => {
    for (const describePromise of PROMISES) describePromise(make);
  });
}
