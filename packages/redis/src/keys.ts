import type { Region } from '@delay-queue/core';

/** One kind of key: its Redis type and what it holds. */
export interface KeyDescription {
  readonly name: string;
  readonly type: 'ZSET' | 'HASH' | 'SET' | 'STRING';
  readonly holds: string;
}

/**
 * Every key of one region. Its full name is `{namespace:topic:index}:<name>`: the braces are the hash tag that
 * keeps a region's keys in one slot of a Cluster. The page docs/redis-keys.md is checked against this table.
 */
export const REGION_KEYS = {
  due: {
    name: 'due',
    type: 'ZSET',
    holds: 'id → due time, ms, server clock: waiting and retrying messages',
  },
  message: {
    name: 'message',
    type: 'HASH',
    holds:
      'id → envelope: version byte, due and sent time (11 hex digits each), headers (version 2 only), content',
  },
  retries: {
    name: 'retries',
    type: 'HASH',
    holds: 'id → deliveries, failures, crashes; absent before the first',
  },
  leases: { name: 'leases', type: 'ZSET', holds: 'token `<worker>.<n>` of a claim → its expiry, ms' },
  held: { name: 'held:<token>', type: 'SET', holds: 'the ids held under that claim' },
  next: {
    name: 'next',
    type: 'HASH',
    holds: 'id → due time (11 hex digits) and envelope of the one version that follows a running one',
  },
  dead: { name: 'dead', type: 'ZSET', holds: 'id → when it became a dead letter, ms' },
  deadMessage: {
    name: 'dead-message',
    type: 'HASH',
    holds: 'id → a line with deliveries, failures, crashes and the length of the reason; reason; envelope',
  },
  seen: {
    name: 'seen',
    type: 'ZSET',
    holds: 'id of a handled message → until when it stays refused, ms (topics with `dedupe` only)',
  },
  paused: { name: 'paused', type: 'STRING', holds: 'present while the region is paused' },
  epoch: {
    name: 'epoch',
    type: 'STRING',
    holds: "the newest epoch of the topic's registry entry shown to it",
  },
} as const satisfies Record<string, KeyDescription>;

/** The keys of a namespace that belong to no region. */
export const NAMESPACE_KEYS = {
  topics: {
    name: '{<namespace>}:topics',
    type: 'HASH',
    holds: 'topic → epoch, paused flag, region counts ever used, name of the selector',
  },
} as const satisfies Record<string, KeyDescription>;

/** The channel on which hints travel. */
export const HINT_CHANNEL = {
  name: '{<namespace>}:hints',
  holds:
    '`<due time> <region index> <topic>`, published when the earliest due time of a region moved forward',
} as const;

/** Full names of one region's keys. */
export type RegionKeys = { readonly [K in Exclude<keyof typeof REGION_KEYS, 'held'>]: string } & {
  /** The ids held under a claim's token. */
  held(token: string): string;
};

/** Builds every key and channel of a namespace. */
export class Keys {
  readonly topics: string;
  readonly hints: string;
  readonly #regions = new Map<string, RegionKeys>();

  /** @param namespace without `:` and braces, so that no two namespaces share a key */
  constructor(readonly namespace: string) {
    this.topics = `{${namespace}}:topics`;
    this.hints = `{${namespace}}:hints`;
  }

  /** The keys of a region, built once. */
  region(region: Region): RegionKeys {
    const tag = `{${this.namespace}:${region.topic}:${region.index}}`;
    let keys = this.#regions.get(tag);
    if (keys === undefined) {
      keys = regionKeys(tag);
      this.#regions.set(tag, keys);
    }
    return keys;
  }
}

function regionKeys(tag: string): RegionKeys {
  return {
    due: `${tag}:due`,
    message: `${tag}:message`,
    retries: `${tag}:retries`,
    leases: `${tag}:leases`,
    held: (token) => `${tag}:held:${token}`,
    next: `${tag}:next`,
    dead: `${tag}:dead`,
    deadMessage: `${tag}:dead-message`,
    seen: `${tag}:seen`,
    paused: `${tag}:paused`,
    epoch: `${tag}:epoch`,
  };
}
