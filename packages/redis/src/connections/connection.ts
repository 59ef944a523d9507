import { DelayQueueError, type Clock } from '@delay-queue/core';
import { unavailable } from '../redis-errors.js';
import { connectClient } from './connect-client.js';
import { Contacts } from './contacts.js';
import { disconnect } from './disconnect.js';
import { masters, type RedisClient, type SingleClient } from './redis-client.js';

/** How long a call waits for a connection that is being made, before it gives up as UNAVAILABLE. */
const CONNECT_WAIT_MS = 2_000;

/**
 * One connection: opened at its first use, made anew for ever, never waited for longer than a moment.
 */
export class Connection {
  /** Why the connection was last lost or refused. */
  lastError: Error | undefined;
  readonly #make: () => RedisClient;
  readonly #clock: Clock;
  #client: RedisClient | undefined;
  #attempt: Promise<RedisClient> | undefined;
  #wrongDatabase: DelayQueueError | undefined;
  #contacts: Contacts | undefined;
  #abandon: ((error: Error) => void) | undefined;
  #socketTimeoutMs = Infinity;
  #closed = false;

  constructor(make: () => RedisClient, clock: Clock) {
    this.#make = make;
    this.#clock = clock;
  }

  /**
   * The client, ready for commands. Without a connection the call waits for the next try to connect, so that a
   * short break costs only the calls that were under way.
   *
   * @throws DelayQueueError UNAVAILABLE when that try fails or takes longer than 2 s; CLOSED after `close`
   */
  async ready(): Promise<RedisClient> {
    if (this.#closed) throw closedError();
    const client = (this.#client ??= this.#create());
    if (this.#wrongDatabase !== undefined) throw this.#wrongDatabase;
    if (client.status === 'ready') return client;
    return (this.#attempt ??= this.#connect(client).finally(() => (this.#attempt = undefined)));
  }

  /** `undefined` if commands can go out now, else `ready()`. */
  connecting(): Promise<unknown> | undefined {
    return this.#client?.status === 'ready' ? undefined : this.ready();
  }

  /** Makes the socket count as dead after so long without an answer, if that is shorter than so far. */
  limitSocketTimeout(ms: number): void {
    if (ms >= this.#socketTimeoutMs) return;
    this.#socketTimeoutMs = ms;
    if (this.#client !== undefined) for (const node of masters(this.#client)) this.#limitNode(node);
  }

  /** For how long there has been contact without a break with the region of a key; 0 without contact. */
  contactMs(key: string): number {
    return this.#contacts?.lasting(key) ?? 0;
  }

  /** A call to the region of a key was answered. */
  answered(key: string): void {
    this.#contacts?.answered(key);
  }

  /** A call to the region of a key was not answered, or refused. */
  contactBroken(key: string): void {
    this.#contacts?.broken(key);
  }

  /** Lets go of the socket within a quarter of a second, whatever state it is in. Unanswered calls reject. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#abandon?.(closedError());
    if (this.#client !== undefined) await disconnect(this.#client);
  }

  #create(): RedisClient {
    const client = this.#make();
    const contacts = (this.#contacts = new Contacts(client, this.#clock));
    const failed = (error: unknown): void => {
      if (!(error instanceof Error)) return;
      this.lastError = error;
      // ioredis goes on with database 0 when SELECT fails: messages would end up in the wrong place.
      if ((error as { command?: { name?: string } }).command?.name === 'select') {
        this.#wrongDatabase = new DelayQueueError(
          'INVALID_OPTION',
          `connection names a database that Redis refuses (${error.message})`,
        );
      }
    };
    client.on('error', failed);
    client.on('node error', failed);
    client.on('ready', () => {
      this.lastError = undefined;
      for (const node of masters(client)) this.#limitNode(node);
    });
    client.on('close', () => {
      contacts.clear();
      this.#wrongDatabase = undefined;
    });
    client.on('+node', (node) => this.#limitNode(node as SingleClient));
    return client;
  }

  async #connect(client: RedisClient): Promise<RedisClient> {
    const givenUp = new Promise<never>((_, reject) => (this.#abandon = reject));
    try {
      await connectClient(client, CONNECT_WAIT_MS, givenUp);
    } catch (error) {
      if (error instanceof DelayQueueError) throw error;
      throw this.#wrongDatabase ?? unavailable(this.lastError ?? error, 'the call');
    }
    if (this.#wrongDatabase !== undefined) throw this.#wrongDatabase;
    return client;
  }

  #limitNode(node: SingleClient): void {
    const limit = node.options.socketTimeout ?? Infinity;
    if (this.#socketTimeoutMs < limit) node.options.socketTimeout = this.#socketTimeoutMs;
  }
}

const closedError = (): DelayQueueError => new DelayQueueError('CLOSED', 'the delay queue is closed');
