import { AsyncResource } from 'node:async_hooks';
import type { OnApplicationBootstrap, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import {
  DelayQueueError,
  checkTopic,
  type DelayConsumerQueue,
  type DelayQueueRuntime,
} from '@delay-queue/core';
import { labelled } from './boot-error.js';
import { findConsumers, type FoundConsumer } from './find-consumers.js';
import { oneConsumerPerTopic, oneInstancePerName, ownConsumers } from './instance-rules.js';

/**
 * Finds the consumers of one instance at boot, starts them when the application is ready, and stops them before
 * anything else of it is stopped.
 *
 * Its state goes one way: found (`onModuleInit`), open and started (`onApplicationBootstrap`, or `start()` where
 * `consumer.autoStart` is false), stopped (`onModuleDestroy`).
 */
export class DelayQueueInitHandler implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly #consumers = new Map<object, FoundConsumer>();
  readonly #queues: DelayConsumerQueue[] = [];
  /** Consumers are made, and so run, in this context: no handler sees the AsyncLocalStorage of who called `register()`. */
  readonly #outside = new AsyncResource('DelayQueueInitHandler');
  #state: 'found' | 'started' | 'stopped' = 'found';

  constructor(
    private readonly runtime: DelayQueueRuntime,
    private readonly modules: ModulesContainer,
  ) {}

  /** The instance's name. */
  get name(): string {
    return this.runtime.properties.name;
  }

  /** Nest's hook; finds and checks every consumer before anything is opened. */
  async onModuleInit(): Promise<void> {
    await this.#orCloseAll(() => {
      oneInstancePerName(this.#peers().map((each) => each.name));
      this.register();
    });
  }

  /** Nest's hook, called after everyone else's; opens all instances at once, then starts this one's consumers. */
  async onApplicationBootstrap(): Promise<void> {
    await this.#orCloseAll(async () => {
      // Nest may close an application while it still boots.
      if (this.#stopped) return;
      const outcomes = await Promise.allSettled(this.#peers().map((each) => each.runtime.open()));
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      if (this.#stopped) return;
      const { role, consumer } = this.runtime.properties;
      if (role !== 'producer' && consumer.autoStart) this.#startQueues();
      this.#report();
    });
  }

  /** Nest's hook, called before everyone else's; the first to stop drains all instances, so drains do not add up. */
  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#peers().map((each) => each.#drain()));
  }

  /**
   * Looks for consumers again, for modules loaded after boot by `LazyModuleLoader`; those already known stay as
   * they are, new ones start at once if the others have.
   *
   * @throws DelayQueueError INVALID_OPTION for a consumer at fault, CLOSED once the application stops
   */
  register(): void {
    this.#refuseAfterStop();
    const names = this.#peers().map((each) => each.name);
    const mine = ownConsumers(findConsumers(this.modules.values()), this.name, names);
    oneConsumerPerTopic(mine);
    for (const found of mine) if (!this.#consumers.has(found.identity)) this.#add(found);
    if (this.#state === 'started') this.#startQueues();
  }

  /**
   * Starts the consumers of this instance, for `consumer.autoStart: false`. Starting twice is starting once.
   *
   * @throws DelayQueueError INVALID_OPTION under role `producer`, CLOSED once the application stops
   */
  async start(): Promise<void> {
    if (this.runtime.properties.role === 'producer') {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `The delay queue '${this.name}' has role 'producer', which starts no consumers: use role 'consumer' or 'both'`,
      );
    }
    await this.runtime.open();
    this.#refuseAfterStop();
    this.#startQueues();
  }

  #add(found: FoundConsumer): void {
    try {
      if (this.runtime.properties.role === 'producer') this.#check(found);
      else this.#queues.push(this.#outside.runInAsyncScope(() => this.#consume(found)));
    } catch (error) {
      throw labelled(found.label, error);
    }
    this.#consumers.set(found.identity, found);
  }

  /** What is wrong with a consumer is wrong in every role. */
  #check({ topic, options }: FoundConsumer): void {
    checkTopic(topic);
    this.runtime.properties.consumerOf(topic, options);
  }

  #consume({ topic, handler, options }: FoundConsumer): DelayConsumerQueue {
    return this.runtime.consume(topic, handler, options);
  }

  #startQueues(): void {
    this.#state = 'started';
    for (const queue of this.#queues) queue.start();
  }

  #drain(): Promise<void> {
    this.#state = 'stopped';
    return this.runtime.drain();
  }

  get #stopped(): boolean {
    return this.#state === 'stopped';
  }

  #refuseAfterStop(): void {
    if (!this.#stopped) return;
    throw new DelayQueueError(
      'CLOSED',
      `The delay queue '${this.name}' has stopped: its application is closing`,
    );
  }

  #report(): void {
    const { logger, role } = this.runtime.properties;
    const list = [...this.#consumers.values()].map(({ topic, label }) => `${topic} (${label})`).join(', ');
    if (list === '') {
      if (role === 'consumer') logger.warn(`Role 'consumer', but no module provides a consumer`);
      return;
    }
    if (role === 'producer') logger.log(`Role 'producer': these consumers stay idle here: ${list}`);
    else if (this.#state === 'started') logger.log(`Consuming ${list}`);
    else logger.log(`These consumers wait for start(): ${list}`);
  }

  /** All instances of this application, this one among them. */
  #peers(): DelayQueueInitHandler[] {
    const providers = [...this.modules.values()].flatMap((module) => [...module.providers.values()]);
    const peers = providers
      .map((wrapper): unknown => (wrapper.isAlias ? undefined : wrapper.instance))
      .filter((instance) => instance instanceof DelayQueueInitHandler);
    return [...new Set(peers)];
  }

  /** A boot that fails half-way leaves nothing open, whether or not there is still an application to close. */
  async #orCloseAll(step: () => void | Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      await Promise.all(this.#peers().map((each) => each.runtime.close()));
      throw error;
    }
  }
}
