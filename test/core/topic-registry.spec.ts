import {
  resolveProperties,
  TopicRegistry,
  type DelayEngine,
  type DelayQueueOptions,
  type Topology,
  type TopologyProposal,
} from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { describe, expect, it } from 'vitest';
import { RecordedLog } from './support/recorded-log.js';

/** A registry on its own, by the contract of `engine.topology`, whose content a failover may lose. */
class Store {
  state: Topology = { epoch: 0, counts: [], paused: false };
  readonly proposals: TopologyProposal[] = [];
  reads = 0;
  /** Called before each proposal is looked at. */
  before: () => void = () => undefined;

  async topology(_topic: string, proposal?: TopologyProposal): Promise<Topology> {
    await Promise.resolve();
    if (proposal === undefined) this.reads++;
    else {
      this.proposals.push(proposal);
      this.before();
      if (proposal.expectedEpoch === this.state.epoch) {
        const { regions, selector, former = [], minEpoch = 0 } = proposal;
        const counts = [...this.state.counts, ...former].filter((count) => count !== regions);
        this.state = {
          epoch: Math.max(this.state.epoch, minEpoch) + 1,
          counts: [...new Set([...counts, regions])],
          selector,
          paused: false,
        };
      }
    }
    return this.state;
  }
}

function registryOn(store: Store, options: Partial<DelayQueueOptions> = {}) {
  const log = new RecordedLog();
  const properties = resolveProperties({ engine: memoryEngine(), logger: log, ...options });
  return { registry: new TopicRegistry(store as unknown as DelayEngine, properties), log };
}

describe('TopicRegistry', () => {
  it('reads once, shares the read, and proposes the default for an unknown topic', async () => {
    const store = new Store();
    const { registry } = registryOn(store);
    expect(registry.known('t')).toBeUndefined();
    const [one, other] = await Promise.all([registry.get('t'), registry.get('t')]);
    expect(one).toBe(other);
    expect(await registry.get('t')).toBe(one);
    expect(store.reads).toBe(1);
    expect(store.proposals).toEqual([{ regions: 5, selector: 'jump-hash-1', expectedEpoch: 0 }]);
    expect([one.epoch, one.regions]).toEqual([1, [0, 1, 2, 3, 4]]);
    expect(one.formerHomes('x')).toEqual([]);
  });

  it('the default follows what the registry knows, without a word', async () => {
    const store = new Store();
    store.state = { epoch: 4, counts: [3, 8], selector: 'jump-hash-1', paused: true };
    const { registry, log } = registryOn(store);
    const map = await registry.get('t');
    expect([map.epoch, map.regions.length, map.paused]).toEqual([4, 8, true]);
    expect(store.proposals).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it('an explicit count is proposed once; later another one is followed with one warning', async () => {
    const store = new Store();
    store.state = { epoch: 1, counts: [5], selector: 'jump-hash-1', paused: false };
    const { registry, log } = registryOn(store, { topics: { t: { regions: 8 } } });
    const map = await registry.get('t');
    expect([map.epoch, map.regions.length]).toEqual([2, 8]);
    store.state = { ...store.state, epoch: 3, counts: [8, 5] };
    for (let i = 0; i < 3; i++) await registry.refresh('t');
    expect(registry.known('t')?.regions.length).toBe(8);
    expect(store.proposals.length).toBe(1);
    expect(log.of('warn').map(({ text }) => text)).toEqual([
      "topic 't' has 5 regions, set by another process; the configured 8 are not used",
    ]);
  });

  it('who loses the race follows', async () => {
    const store = new Store();
    const { registry, log } = registryOn(store, { regions: 8 });
    store.before = () => {
      store.before = () => undefined;
      store.state = { epoch: 1, counts: [6], selector: 'jump-hash-1', paused: false };
    };
    expect((await registry.get('t')).regions.length).toBe(6);
    expect(log.of('warn').length).toBe(1);
  });

  it('another selector is refused, by name', async () => {
    const store = new Store();
    store.state = { epoch: 1, counts: [5], selector: 'modulo', paused: false };
    const { registry } = registryOn(store);
    await expect(registry.get('t')).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/'jump-hash-1'.*'modulo'/) as string,
    });
  });

  it('adds counts and epochs again that a failover lost', async () => {
    const store = new Store();
    const { registry } = registryOn(store, { regions: 5 });
    await registry.get('t');
    store.state = { epoch: 3, counts: [5, 8, 3], selector: 'jump-hash-1', paused: false };
    await registry.refresh('t');
    store.state = { epoch: 1, counts: [5], selector: 'jump-hash-1', paused: false };
    const map = await registry.refresh('t');
    expect(store.state.counts).toEqual([5, 8, 3]);
    expect(store.state.epoch).toBeGreaterThan(3);
    expect([map.epoch, map.regions.length]).toEqual([store.state.epoch, 8]);
    store.state = { epoch: 0, counts: [], paused: false };
    await registry.refresh('t');
    expect(store.state.counts.at(-1)).toBe(3);
    expect(new Set(store.state.counts)).toEqual(new Set([3, 5, 8]));
    expect(store.state.epoch).toBeGreaterThan(map.epoch);
  });

  it('brings the registry beyond an epoch that a region has seen', async () => {
    const store = new Store();
    const { registry } = registryOn(store);
    await registry.get('t');
    const map = await registry.refresh('t', 1);
    expect(map.epoch).toBe(2);
    expect((await registry.refresh('t', 1)).epoch).toBe(2);
    expect((await registry.refresh('t', 7)).epoch).toBe(8);
  });

  it('knows former homes, the latest count first, without the current one', async () => {
    const store = new Store();
    store.state = { epoch: 3, counts: [5, 8, 3], selector: 'jump-hash-1', paused: false };
    const map = await registryOn(store).registry.get('t');
    for (let i = 0; i < 200; i++) {
      const former = map.formerHomes(`id${i}`);
      expect(former).not.toContain(map.home(`id${i}`));
      expect(former.length).toBeLessThanOrEqual(2);
      expect(map.home(`id${i}`)).toBeLessThan(3);
    }
  });

  it('reads again after a failed read', async () => {
    const store = new Store();
    const { registry } = registryOn(store);
    const topology = store.topology.bind(store);
    store.topology = () => Promise.reject(new Error('away'));
    await expect(registry.get('t')).rejects.toThrow('away');
    store.topology = topology;
    expect((await registry.get('t')).regions.length).toBe(5);
  });
});
