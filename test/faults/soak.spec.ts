import { setTimeout as pass } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { failOver } from './support/cluster-failover.js';
import {
  openClusterPlay,
  REGIONS,
  slotOfRegion,
  slotOfRegistry,
  type ClusterPlay,
} from './support/cluster-play.js';
import { BREAKABLE, FAULTS, repeatedly, USER, type FaultName } from './support/faults.js';
import { forgetLosses, type Loss } from './support/forget-lost.js';
import { openHalfOpen, type HalfOpen } from './support/half-open.js';
import { breakProcesses, startOddFleet } from './support/process-faults.js';
import { moveAndBack } from './support/reshard.js';
import { openSentinelPlay } from './support/sentinel-play.js';
import { soakReport } from './support/soak-report.js';
import { openStage, type Play } from './support/stage.js';
import { worked } from './support/through.js';
import { TOPICS } from './support/work.js';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 1.5);
/** What part of the time each gets; at least one fault happens in it. */
const SHARE = { server: 0.6, sentinel: 0.2, cluster: 0.2 };
/** Boot, the last fault, and the end. */
const BESIDES_MS = 10 * 60_000;
const CONSUMERS = 3;
const PRODUCERS = 2;
/** How long a fault of the server takes: at times longer than a lease. */
const FAULT_MS = [0, 6_000] as const;
const HALF_OPEN_EVERY_MS = 3_000;
const LEASE = '5s';
const SLOW_MS = '2500';
/** What a deploy may set. */
const REGION_COUNTS = [3, 5, 8];

/** Breaks the servers in one way, and mends them. */
interface Breaking {
  readonly name: string;
  during(): Promise<void>;
  /** Nothing may befall the processes meanwhile. */
  readonly alone?: boolean;
}

it(
  'everything that can happen on one server: the books balance',
  async () => {
    let way: HalfOpen | undefined;
    const stage = await openStage({
      ...BREAKABLE,
      async url({ port }) {
        way = await openHalfOpen(port);
        onTestFinished(way.close);
        return `redis://${USER.name}:${USER.password}@${new URL(way.url).host}`;
      },
      env: { LEASE, SLOW_MS },
    });
    const { dice } = stage;
    const names = Object.keys(FAULTS) as FaultName[];
    const breaking = (): Breaking => {
      const forMs = dice.between(...FAULT_MS);
      const name = dice.pick([...names, 'half-open'] as const);
      if (name === 'half-open') {
        const silence = () => Promise.resolve(way?.silence(dice.pick(['answers', 'both'])));
        return { name, during: () => repeatedly(forMs, HALF_OPEN_EVERY_MS, silence) };
      }
      // Who is told another password while it starts ends, as it should.
      return { name, during: () => FAULTS[name](stage, forMs), alone: name === 'another password' };
    };
    await soak('One server', stage, SHARE.server, breaking, REGION_COUNTS, []);
  },
  MINUTES * SHARE.server * 60_000 + BESIDES_MS,
);

it(
  'failovers by Sentinel: the books balance',
  async () => {
    const losses: Loss[] = [];
    const play = await openSentinelPlay(durable(losses));
    const breaking = (): Breaking => ({
      name: 'failover',
      during: async () => void losses.push(await play.failOver()),
    });
    await soak('Sentinel', play, SHARE.sentinel, breaking, REGION_COUNTS, losses);
  },
  MINUTES * SHARE.sentinel * 60_000 + BESIDES_MS,
);

it(
  'failovers and moving slots in a Cluster: the books balance',
  async () => {
    const losses: Loss[] = [];
    const play = await openClusterPlay(durable(losses));
    const { dice } = play;
    const breaking = (): Breaking =>
      dice.chance(0.5)
        ? { name: 'failover', during: async () => void losses.push(await failOver(play)) }
        : { name: 'resharding', during: () => moveAndBack(play, anySlot(play), dice.between(...FAULT_MS)) };
    await soak('Cluster', play, SHARE.cluster, breaking, [REGIONS], losses);
  },
  MINUTES * SHARE.cluster * 60_000 + BESIDES_MS,
);

/** What a send confirmed, a failover does not lose; what it does is collected. */
function durable(losses: readonly Loss[]) {
  return {
    env: { LEASE, SLOW_MS, REPLICAS: '1' },
    edit: (entries: Parameters<typeof forgetLosses>[0]) => forgetLosses(entries, losses).kept,
  };
}

/** The slot of a region, or of the registry. */
function anySlot({ dice, namespace }: ClusterPlay): number {
  const region = slotOfRegion(namespace, dice.pick(TOPICS), dice.between(0, REGIONS - 1));
  return dice.chance(0.2) ? slotOfRegistry(namespace) : region;
}

/** Breaks the servers, the processes or both, with work between, for a share of the minutes; then balances the books. */
async function soak(
  title: string,
  play: Play,
  share: number,
  breaking: () => Breaking,
  regionCounts: readonly number[],
  losses: readonly Loss[],
): Promise<void> {
  const { dice } = play;
  await startOddFleet(play, CONSUMERS, PRODUCERS);
  const end = performance.now() + MINUTES * share * 60_000;
  do {
    await worked(play);
    const both = dice.chance(0.3);
    const servers = both || dice.chance(0.5) ? breaking() : undefined;
    const processes = servers === undefined || (both && servers.alone !== true);
    await Promise.all([
      servers && play.fault(servers.name, () => servers.during()),
      processes ? breakAtAnyMoment(play, regionCounts) : undefined,
    ]);
  } while (performance.now() < end);
  const books = await play.finish();
  const entries = play.entries();
  console.log(soakReport(title, books, entries, forgetLosses(entries, losses).forgotten));
  expect(books.pending).toBe(0);
}

/** At any moment of what happens to the servers meanwhile. */
async function breakAtAnyMoment(play: Play, regionCounts: readonly number[]): Promise<void> {
  await pass(play.dice.between(0, FAULT_MS[1] / 2));
  await breakProcesses(play, regionCounts);
}
