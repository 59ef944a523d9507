import type { DelayQueueProperties } from './delay-queue-properties.js';
import type { DelayEngine, Topology } from './engine.js';
import { DelayQueueError } from './errors.js';
import { topicMap, type TopicMap } from './topic-map.js';
import { proposalFor, type SeenTopology } from './topology-proposal.js';
import { within } from './within.js';

/** A registry read takes at most so long, whatever the engine does. */
const READ_TIMEOUT_MS = 30_000;
/** Proposals in one read; each lost one means that somebody else's went through. */
const MAX_PROPOSALS = 10;

/** What is known of one topic. */
interface Entry {
  map?: TopicMap;
  reading?: Promise<TopicMap>;
  seen: SeenTopology;
  asked: boolean;
  warned: boolean;
}

/**
 * The region counts of all topics, as this process knows them.
 *
 * The engine's registry is the truth; this class reads it, proposes what is missing (see `proposalFor`) and
 * remembers every count it saw. Where the count in force is another one than the configured one it follows,
 * with one warning. A topic whose messages were placed by another selector is refused: they would not be found.
 */
export class TopicRegistry {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly engine: DelayEngine,
    private readonly properties: DelayQueueProperties,
  ) {}

  /** What is known without asking. */
  known(topic: string): TopicMap | undefined {
    return this.entries.get(topic)?.map;
  }

  /**
   * The known map, read on first use.
   *
   * @throws DelayQueueError INVALID_OPTION for another selector; else what the engine failed with
   */
  get(topic: string): Promise<TopicMap> {
    const map = this.known(topic);
    return map === undefined ? this.refresh(topic) : Promise.resolve(map);
  }

  /**
   * Reads the registry again; callers at the same time share the read. `staleEpoch` is the epoch that a region
   * called old: should the registry not be beyond it (it lost data), it is brought there.
   *
   * @throws DelayQueueError like `get`
   */
  refresh(topic: string, staleEpoch = 0): Promise<TopicMap> {
    const entry = this.entry(topic);
    if (entry.reading !== undefined) return entry.reading;
    const reading = within(
      this.properties.clock,
      READ_TIMEOUT_MS,
      this.read(topic, entry, staleEpoch),
      `reading the registry entry of '${topic}'`,
    ).finally(() => delete entry.reading);
    entry.reading = reading;
    return reading;
  }

  private entry(topic: string): Entry {
    let entry = this.entries.get(topic);
    if (entry === undefined) {
      entry = { seen: { epoch: 0, counts: [] }, asked: false, warned: false };
      this.entries.set(topic, entry);
    }
    return entry;
  }

  private async read(topic: string, entry: Entry, staleEpoch: number): Promise<TopicMap> {
    const wanted = this.properties.topic(topic);
    const selector = this.properties.regionSelector;
    let topology = await this.engine.topology(topic);
    for (let proposals = 0; proposals < MAX_PROPOSALS; proposals++) {
      this.checkSelector(topic, topology);
      const ask = !entry.asked;
      const proposal = proposalFor(topology, {
        wanted,
        selector: selector.name,
        seen: entry.seen,
        ask,
        staleEpoch,
      });
      if (proposal === undefined) break;
      topology = await this.engine.topology(topic, proposal);
      entry.asked = true; // won or lost: the last entry counts for everyone
    }
    this.checkSelector(topic, topology);
    entry.asked = true;
    entry.seen = merge(entry.seen, topology);
    const [first, ...rest] = entry.seen.counts;
    if (first === undefined)
      throw new DelayQueueError('UNAVAILABLE', `the registry does not keep '${topic}'`);
    this.warnOnce(topic, entry);
    entry.map = topicMap([first, ...rest], entry.seen.epoch, topology.paused, selector);
    return entry.map;
  }

  private checkSelector(topic: string, topology: Topology): void {
    const own = this.properties.regionSelector.name;
    if (topology.selector === undefined || topology.selector === own) return;
    throw new DelayQueueError(
      'INVALID_OPTION',
      `regionSelector is '${own}', but the messages of topic '${topic}' were placed by '${topology.selector}'; ` +
        'use that one, or another topic or namespace',
    );
  }

  private warnOnce(topic: string, entry: Entry): void {
    const { regions, regionsExplicit } = this.properties.topic(topic);
    const inForce = entry.seen.counts.at(-1);
    if (!regionsExplicit || inForce === regions || entry.warned) return;
    entry.warned = true;
    try {
      this.properties.logger.warn(
        `topic '${topic}' has ${inForce} regions, set by another process; the configured ${regions} are not used`,
      );
    } catch {
      // a logger that throws must not keep the topic from being found
    }
  }
}

/** What was seen, with the registry's counts last in their order: the registry's last one is in force. */
function merge(seen: SeenTopology, registry: Topology): SeenTopology {
  const lost = seen.counts.filter((count) => !registry.counts.includes(count));
  return { epoch: Math.max(seen.epoch, registry.epoch), counts: [...lost, ...registry.counts] };
}
