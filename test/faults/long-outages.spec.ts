import { expect, it } from 'vitest';
import type { FaultName } from './support/faults.js';
import type { Stage } from './support/stage.js';
import { OUT_OF_TIME, rejections, throughFaults, UNDER_WAY } from './support/through.js';

/** Longer than the time limit of a send, 5 s. */
const OUTAGE_MS = 7_000;
/** A send is answered within its time limit; a busy machine may be late. */
const LATEST_ANSWER_MS = 10_000;

it.each<[what: string, code: string, others: string[], FaultName[]]>([
  ['does not answer', UNDER_WAY, ['UNAVAILABLE'], ['SIGSTOP', 'CLIENT PAUSE ALL']],
  ['cannot be reached', 'UNAVAILABLE', [], ['kill -9', 'loading', 'another password']],
  // A connection to a replica is left, and calls wait for the next one.
  ['refuses writes', 'READ_ONLY', ['UNAVAILABLE'], ['too few replicas', 'failed snapshot', 'REPLICAOF']],
])(
  'a Redis that %s for longer than a send waits: sends reject with %s, and everything goes on',
  async (_what, code, others, faults) => {
    const { stage } = await throughFaults(faults.map((fault) => [fault, OUTAGE_MS]));
    const allowed = [code, ...OUT_OF_TIME, ...others];
    for (const [fault, codes] of rejections(stage)) {
      console.log(fault, JSON.stringify(codes));
      expect(codes[code], fault).toBeGreaterThan(0);
      expect(Object.keys(codes).filter((each) => !allowed.includes(each))).toEqual([]);
    }
    expect(longestSend(stage)).toBeLessThan(LATEST_ANSWER_MS);
  },
);

/** The longest time between a send and its answer, ms. */
function longestSend(stage: Stage): number {
  const begun = new Map<string, number>();
  let longest = 0;
  for (const entry of stage.entries()) {
    if (entry.event === 'sending') begun.set(entry.id, entry.at);
    if (entry.event !== 'sent' && entry.event !== 'send failed') continue;
    longest = Math.max(longest, entry.at - (begun.get(entry.id) ?? entry.at));
  }
  return longest;
}
