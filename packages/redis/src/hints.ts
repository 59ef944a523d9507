import type { HintListener, Logger } from '@delay-queue/core';
import { disconnect } from './connections/disconnect.js';
import { isClusterClient, type RedisClient } from './connections/redis-client.js';
import { withDeadline } from './connections/with-deadline.js';
import { messageOf } from './redis-errors.js';

/** A subscription that does not answer for so long is deaf and made anew. */
const PROBE_MS = 4_000;

/**
 * The subscription to hints. It opens with the first listener and comes back by itself; nothing but promptness
 * depends on it.
 */
export class Hints {
  readonly #make: () => RedisClient;
  readonly #channel: string;
  readonly #logger: Logger;
  readonly #listeners = new Set<HintListener>();
  #client: RedisClient | undefined;
  #probing = false;
  #complained = false;
  #closed = false;

  constructor(make: () => RedisClient, channel: string, logger: Logger) {
    this.#make = make;
    this.#channel = channel;
    this.#logger = logger;
  }

  /** Adds a listener; returns the way out. */
  watch(listener: HintListener): () => void {
    this.#listeners.add(listener);
    this.#open();
    return () => void this.#listeners.delete(listener);
  }

  /** Asks the subscription whether it still lives, because half open it would stay deaf. Never rejects. */
  probe(): void {
    const client = this.#client;
    if (client?.status !== 'ready' || this.#probing) return;
    this.#probing = true;
    // The subscription of a Cluster has a connection that only `subscribe` reaches.
    const answer = isClusterClient(client) ? client.subscribe(this.#channel) : client.call('ping', []);
    withDeadline(answer, PROBE_MS, () => new Error('the subscription is deaf'))
      .catch(() => this.#reopen(client))
      .finally(() => (this.#probing = false));
  }

  /** Ends the subscription within a quarter of a second. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    if (this.#client !== undefined) await disconnect(this.#client);
  }

  #open(): void {
    if (this.#client !== undefined || this.#closed) return;
    const client = this.#make();
    this.#client = client;
    client.on('error', () => undefined);
    client.on('message', (_channel, text) => this.#received(String(text)));
    if (isClusterClient(client)) return this.#subscribe(client);
    // Not left to ioredis: it subscribes again without a word for the promise, which then, when the connection
    // breaks once more, rejects unhandled and takes the process down.
    client.on('ready', () => this.#subscribe(client));
    client.connect().catch(() => undefined);
  }

  #subscribe(client: RedisClient): void {
    client.subscribe(this.#channel).catch((error: unknown) => this.#refused(error));
  }

  #reopen(client: RedisClient): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    void disconnect(client);
    this.#open();
  }

  #refused(error: unknown): void {
    // A connection that breaks comes back, and then asks again.
    if (this.#closed || this.#complained || !isReply(error)) return;
    this.#complained = true;
    this.#logger.warn(
      `cannot subscribe to ${this.#channel} (${messageOf(error)}): consumers notice messages that became due ` +
        'earlier only at their next safety look',
    );
  }

  #received(text: string): void {
    const match = /^(\d+) (\d+) (.+)$/.exec(text);
    if (match?.[3] === undefined) return;
    const region = { topic: match[3], index: Number(match[2]) };
    for (const listener of this.#listeners) listener(region, Number(match[1]));
  }
}

const isReply = (error: unknown): boolean => error instanceof Error && error.name === 'ReplyError';
