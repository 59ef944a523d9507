import type { Topology, TopologyProposal } from '@delay-queue/core';

/** What the registry says of a topic that it does not know. */
export const UNKNOWN_TOPIC: Topology = { epoch: 0, counts: [], paused: false };

/**
 * The registry's answer to a proposal: unchanged where it has moved on or knows another selector, else with the proposed count in
 * force. Lost counts come back before it. The epoch grows only with a change, or where it has fallen behind
 * what the proposer saw: regions that met the newer epoch would answer `moved` for ever.
 */
export function propose(current: Topology, proposal: TopologyProposal): Topology {
  if (current.epoch !== proposal.expectedEpoch) return current;
  if (current.selector !== undefined && current.selector !== proposal.selector) return current;
  const known = [...current.counts, ...(proposal.former ?? [])];
  const counts = [...new Set(known.filter((count) => count !== proposal.regions)), proposal.regions];
  const minEpoch = proposal.minEpoch ?? 0;
  const same = counts.length === current.counts.length && counts.every((n, i) => n === current.counts[i]);
  if (same && minEpoch <= current.epoch) return current;
  return {
    epoch: Math.max(current.epoch, minEpoch) + 1,
    counts,
    selector: current.selector ?? proposal.selector,
    paused: current.paused,
  };
}
