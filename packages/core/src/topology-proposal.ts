import type { TopicProperties } from './delay-queue-properties.js';
import type { Topology, TopologyProposal } from './engine.js';

/** What a process has seen of a topic's registry entry; never forgotten, so that a failover cannot lose it. */
export interface SeenTopology {
  readonly epoch: number;
  /** In order of last use. Empty: nothing seen yet. */
  readonly counts: readonly number[];
}

/** What makes a proposal necessary, besides the registry's state. */
export interface ProposalReasons {
  readonly wanted: TopicProperties;
  readonly selector: string;
  readonly seen: SeenTopology;
  /** Whether this process still has to say which count it was configured with; it says so once. */
  readonly ask: boolean;
  /** An epoch that a region called old: the registry must get beyond it. */
  readonly staleEpoch: number;
}

/**
 * What to tell the registry, or `undefined` where it is as it should be. Proposed are
 * - a count for a topic that it does not know: the one last seen in force, else the configured one;
 * - an explicitly configured count, once per process;
 * - counts and epochs that this process saw and the registry lost, or that its regions are ahead of.
 */
export function proposalFor(registry: Topology, reasons: ProposalReasons): TopologyProposal | undefined {
  const { wanted, selector, seen, ask, staleEpoch } = reasons;
  const lost = seen.counts.filter((count) => !registry.counts.includes(count));
  const minEpoch = Math.max(seen.epoch, staleEpoch);
  const behind = registry.epoch < seen.epoch || registry.epoch <= staleEpoch;
  const inForce = registry.epoch < seen.epoch ? (seen.counts.at(-1) ?? registry.counts.at(-1)) : undefined;
  const regions =
    ask && wanted.regionsExplicit
      ? wanted.regions
      : (inForce ?? registry.counts.at(-1) ?? seen.counts.at(-1) ?? wanted.regions);

  if (regions === registry.counts.at(-1) && lost.length === 0 && !behind) return undefined;
  const former = lost.filter((count) => count !== regions);
  return {
    regions,
    selector,
    expectedEpoch: registry.epoch,
    ...(former.length > 0 && { former }),
    ...(minEpoch > 0 && { minEpoch }),
  };
}
