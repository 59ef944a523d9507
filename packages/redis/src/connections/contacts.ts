import type { Clock } from '@delay-queue/core';
import { nodeOf } from './owner.js';
import type { RedisClient, SingleClient } from './redis-client.js';

/** With which server a region was in contact, and since when. */
interface Contact {
  readonly server: SingleClient;
  readonly since: number;
}

/**
 * For how long a worker has been in unbroken contact with each of its regions, by a key of theirs. It begins with an
 * answer; it ends for a region that another server or another connection serves now, and for all regions of a server
 * whenever a call to one of them fails. The servers of a Cluster are apart: one that is away ends nothing elsewhere.
 */
export class Contacts {
  readonly #contacts = new Map<string, Contact>();

  constructor(
    private readonly client: RedisClient,
    private readonly clock: Clock,
  ) {}

  /** In ms; 0 without contact. */
  lasting(key: string): number {
    const contact = this.#contacts.get(key);
    const unbroken = contact !== undefined && contact.server === nodeOf(this.client, key);
    return unbroken ? this.clock.monotonic() - contact.since : 0;
  }

  /** A call was answered. */
  answered(key: string): void {
    const server = nodeOf(this.client, key);
    if (server === undefined || this.#contacts.get(key)?.server === server) return;
    this.#contacts.set(key, { server, since: this.clock.monotonic() });
  }

  /** A call was not answered, or refused. */
  broken(key: string): void {
    const failed = this.#contacts.get(key)?.server ?? nodeOf(this.client, key);
    for (const [other, { server }] of this.#contacts) if (server === failed) this.#contacts.delete(other);
  }

  /** The connection is gone. */
  clear(): void {
    this.#contacts.clear();
  }
}
