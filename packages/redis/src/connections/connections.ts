import type { Clock } from '@delay-queue/core';
import { SOCKET_TIMEOUT_MS } from './client-options.js';
import type { ClientTemplate } from './client-template.js';
import { Connection } from './connection.js';

/**
 * The connections of one engine, each opened when it is first needed: one to produce, one to consume, so that
 * neither waits behind the other. What needs any connection (the check at boot, the registry) uses one that is
 * there, or opens one that the next pool in need takes over: a process that only sends has one connection.
 */
export class Connections {
  readonly #make: () => Connection;
  #spare: Connection | undefined;
  #producer: Connection | undefined;
  #consumer: Connection | undefined;
  #durable: Connection | undefined;
  readonly #all = new Set<Connection>();
  #closed = false;

  constructor(template: ClientTemplate, namespace: string, clock: Clock) {
    this.#make = () => {
      const connection = new Connection(() => template('calls', `delay-queue:${namespace}`), clock);
      this.#all.add(connection);
      if (this.#closed) void connection.close();
      return connection;
    };
  }

  /** Puts, cancels, look-ups, inspection. */
  producer(): Connection {
    return (this.#producer ??= this.#takeSpare());
  }

  /** Claims, settles, renewals. A socket that is silent for a third of the shortest lease counts as dead. */
  consumer(leaseMs?: number): Connection {
    this.#consumer ??= this.#takeSpare();
    if (leaseMs !== undefined) {
      this.#consumer.limitSocketTimeout(Math.min(SOCKET_TIMEOUT_MS, Math.floor(leaseMs / 3)));
    }
    return this.#consumer;
  }

  /** Calls that wait for their confirmation, and hold up what is behind them. */
  durable(): Connection {
    return (this.#durable ??= this.#make());
  }

  /** Whichever there is. */
  any(): Connection {
    return this.#consumer ?? this.#producer ?? (this.#spare ??= this.#make());
  }

  /** Lets go of them all within a quarter of a second; what is asked for later is closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }

  #takeSpare(): Connection {
    const spare = this.#spare ?? this.#make();
    this.#spare = undefined;
    return spare;
  }
}
