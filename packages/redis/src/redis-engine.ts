import {
  type CancelOutcome,
  type Claim,
  type ClaimOptions,
  type DelayEngine,
  type Due,
  type EngineContext,
  type EngineFactory,
  type HintListener,
  type Moved,
  type PutMessage,
  type PutOptions,
  type PutOutcome,
  type Region,
  type RescheduleOutcome,
  type Settled,
  type SettleOptions,
  type Topology,
  type TopologyProposal,
  type Verdict,
} from '@delay-queue/core';
import { boot } from './boot.js';
import { Claims } from './claims.js';
import { clientTemplate, type ClientTemplate } from './connections/client-template.js';
import type { Connection } from './connections/connection.js';
import { Connections } from './connections/connections.js';
import { withDeadline } from './connections/with-deadline.js';
import type { Durability } from './durability.js';
import { durableRunner } from './durable-runner.js';
import { Hints } from './hints.js';
import { Keys } from './keys.js';
import { LostClaims } from './lost-claims.js';
import { readOptions } from './read-options.js';
import type { RedisEngineOptions } from './redis-engine-options.js';
import { RedisInspector } from './redis-inspector.js';
import { commandRunner } from './run-command.js';
import { scriptRunner, scriptTarget, type RunScript, type ScriptTarget } from './script-runner.js';
import { cancel } from './scripts/cancel.js';
import { put } from './scripts/put.js';
import { renew } from './scripts/renew.js';
import { reschedule } from './scripts/reschedule.js';
import { topology } from './scripts/topology.js';
import { settle } from './settles.js';
import { pauseNewRegions } from './pause-new-regions.js';

/** How long `close` tries to give back claims whose answer was lost. */
const LAST_GIVE_BACK_MS = 150;

/** The subscription is asked for signs of life at most this often. */
const PROBE_EVERY_MS = 1_000;

/**
 * Keeps messages in Redis 6.2 or newer: one server, Sentinel or Cluster.
 *
 * @throws DelayQueueError INVALID_OPTION for options that cannot work, before anything connects
 */
export function redisEngine(options: RedisEngineOptions): EngineFactory {
  const { connection, strict, durability } = readOptions(options);
  const template = clientTemplate(connection);
  return (context) => new RedisEngine(template, strict, durability, context);
}

class RedisEngine implements DelayEngine {
  readonly inspector: RedisInspector;
  readonly #context: EngineContext;
  readonly #strict: boolean;
  readonly #durability: Durability | undefined;
  readonly #keys: Keys;
  readonly #connections: Connections;
  readonly #hints: Hints;
  readonly #lost = new LostClaims();
  readonly #claims = new Claims(this.#lost);
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #probedAt = -Infinity;

  constructor(
    template: ClientTemplate,
    strict: boolean,
    durability: Durability | undefined,
    context: EngineContext,
  ) {
    const { namespace, clock, logger } = context;
    this.#context = context;
    this.#strict = strict;
    this.#durability = durability;
    this.#keys = new Keys(namespace);
    this.#connections = new Connections(template, namespace, clock);
    const subscriber = (): ReturnType<ClientTemplate> =>
      template('subscriber', `delay-queue:${namespace}:hints`);
    this.#hints = new Hints(subscriber, this.#keys.hints, logger);
    const producer: RunScript = (...call) => scriptRunner(this.#connections.producer(), clock)(...call);
    this.inspector = new RedisInspector(
      this.#keys,
      producer,
      commandRunner(() => this.#connections.producer()),
    );
  }

  open(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async topology(topic: string, proposal?: TopologyProposal): Promise<Topology> {
    this.#probeHints();
    const run = scriptRunner(this.#connections.any(), this.#context.clock);
    const found = await topology(run, this.#keys.topics, topic, proposal);
    return proposal !== undefined && found.paused ? pauseNewRegions(run, this.#keys, topic, found) : found;
  }

  connecting(): Promise<unknown> | undefined {
    return this.#producingConnection().connecting();
  }

  put(
    region: Region,
    messages: readonly PutMessage[],
    options: PutOptions,
  ): Promise<readonly PutOutcome[] | Moved> {
    return put(this.#producing(region), messages, options);
  }

  cancel(
    region: Region,
    ids: readonly string[],
    options: { readonly epoch: number },
  ): Promise<readonly CancelOutcome[] | Moved> {
    return cancel(this.#producing(region), ids, options.epoch);
  }

  reschedule(
    region: Region,
    id: string,
    due: Due,
    options: { readonly epoch: number },
  ): Promise<RescheduleOutcome | Moved> {
    return reschedule(this.#producing(region), id, due, options.epoch);
  }

  claim(region: Region, options: ClaimOptions): Promise<Claim> {
    return this.#consuming(region, options.leaseMs, (target, connection) =>
      this.#claims.claim(region, target, connection, options),
    );
  }

  settle(
    region: Region,
    lease: string,
    verdicts: readonly Verdict[],
    options: SettleOptions,
  ): Promise<Settled> {
    return this.#consuming(region, undefined, (target) => settle(target, lease, verdicts, options));
  }

  renew(region: Region, leases: readonly string[], leaseMs: number): Promise<readonly string[]> {
    return this.#consuming(region, leaseMs, (target) => renew(target, leases, leaseMs));
  }

  watch(listener: HintListener): () => void {
    return this.#hints.watch(listener);
  }

  async #open(): Promise<void> {
    try {
      await boot({
        connections: this.#connections,
        keys: this.#keys,
        clock: this.#context.clock,
        logger: this.#context.logger,
        strict: this.#strict,
        durability: this.#durability,
        closed: () => this.#closing !== undefined,
      });
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #close(): Promise<void> {
    await withDeadline(this.#giveBackLost(), LAST_GIVE_BACK_MS, () => new Error('no time left')).catch(
      () => undefined,
    );
    await Promise.all([this.#connections.close(), this.#hints.close()]);
  }

  async #giveBackLost(): Promise<void> {
    const regions = this.#lost.regions();
    await Promise.all(regions.map((region) => this.#consuming(region, undefined, async () => undefined)));
  }

  #producingConnection(): Connection {
    return this.#durability === undefined ? this.#connections.producer() : this.#connections.durable();
  }

  #producing(region: Region): ScriptTarget {
    const { clock } = this.#context;
    const connection = this.#producingConnection();
    const run =
      this.#durability === undefined
        ? scriptRunner(connection, clock)
        : durableRunner(connection, clock, this.#durability);
    return scriptTarget(run, this.#keys, region);
  }

  /** A call on the consuming connection; before it, claims are given back whose answer was lost. */
  async #consuming<T>(
    region: Region,
    leaseMs: number | undefined,
    call: (target: ScriptTarget, connection: Connection) => Promise<T>,
  ): Promise<T> {
    const connection = this.#connections.consumer(leaseMs);
    const run = scriptRunner(connection, this.#context.clock);
    const target = scriptTarget(run, this.#keys, region);
    try {
      await this.#lost.giveBack(region, target);
      const result = await call(target, connection);
      connection.answered(target.keys.due);
      return result;
    } catch (error) {
      connection.contactBroken(target.keys.due);
      throw error;
    }
  }

  /** Core reads the registry at each safety look: the time to see whether the subscription still lives. */
  #probeHints(): void {
    const now = this.#context.clock.monotonic();
    if (now - this.#probedAt < PROBE_EVERY_MS) return;
    this.#probedAt = now;
    this.#hints.probe();
  }
}
