import type { Clock, SimulationMember } from '../clock.js';
import { AsyncScope } from '../async-scope.js';
import { Turns } from '../turns.js';
import type { DelayQueueProperties } from '../delay-queue-properties.js';
import type { DelayEngine } from '../engine.js';
import type { EngineHealth } from '../engine-health.js';
import type { TopicRegistry } from '../topic-registry.js';
import { Deadlines } from './deadlines.js';
import { SendBudget } from './send-budget.js';
import type { Hint } from './send-work.js';
import type { RouterHost, TopicRouter } from './topic-router.js';

/** Under a simulated clock nobody waits longer for sends, in real time. */
const SIMULATION_PATIENCE_MS = 1_000;

/** What a producer is made of. */
export interface ProducerDeps {
  readonly engine: DelayEngine;
  readonly registry: TopicRegistry;
  readonly health: EngineHealth;
  readonly properties: DelayQueueProperties;
  /** Tells the topic's consumer in this process, if there is one. */
  readonly hintOf: (topic: string) => Hint | undefined;
}

/**
 * What all topics of an instance share for sending: the room for unsettled sends, the deadlines, and the end of
 * the turn at which everything collected is handed to the engine, outside of any caller's `AsyncLocalStorage`.
 */
export class Producer implements RouterHost, SimulationMember {
  readonly engine: DelayEngine;
  readonly registry: TopicRegistry;
  readonly health: EngineHealth;
  readonly properties: DelayQueueProperties;
  readonly clock: Clock;
  readonly budget: SendBudget;
  readonly deadlines: Deadlines;
  readonly hintOf: (topic: string) => Hint | undefined;
  /** Calls and reads begun so far. */
  activity = 0;
  private closing = false;
  private open = 0;
  private calls = 0;
  /** Calls that `settle` gave up waiting for. */
  private hopeless = 0;
  private readonly routers = new Set<TopicRouter>();
  private awake: TopicRouter[] = [];
  private readonly scope = new AsyncScope();
  private readonly turns = new Turns(this.scope, () => this.endOfTurn());
  private readonly leaveSimulation: (() => void) | undefined;

  constructor(deps: ProducerDeps) {
    this.engine = deps.engine;
    this.registry = deps.registry;
    this.health = deps.health;
    this.properties = deps.properties;
    this.hintOf = deps.hintOf;
    this.clock = deps.properties.clock;
    this.budget = new SendBudget(deps.properties.producer.maxPending);
    this.deadlines = new Deadlines(this.clock, (sweep) => this.scope.run(sweep));
    this.leaveSimulation = this.clock.simulation?.join(this);
  }

  /** Whether calls are refused. */
  get closed(): boolean {
    return this.closing;
  }

  /** Calls `act` outside of the caller's asynchronous context. */
  atHome<Result>(act: () => Result): Result {
    return this.scope.run(act);
  }

  wake(router: TopicRouter): void {
    this.routers.add(router);
    this.awake.push(router);
    this.turns.wake();
  }

  underWay(change: 1 | -1): void {
    this.calls += change;
    this.hopeless = Math.min(this.hopeless, this.calls);
    if (change === 1) this.activity++;
    else if (this.calls === this.hopeless) this.turns.wake();
  }

  /** The number of requests that have not settled changes by so many. */
  unsettled(change: 1 | -1): void {
    this.open += change;
    if (this.open === 0 && this.closing) this.turns.wake();
  }

  /** Waits until nothing waits to be handed over and no call is under way. */
  async settle(patienceMs: number): Promise<boolean> {
    const quiet = (): boolean => this.awake.length === 0 && this.calls === this.hopeless;
    if (await this.turns.until(quiet, patienceMs)) return true;
    this.hopeless = this.calls;
    return false;
  }

  /** Refuses new requests, lets the others settle for at most `patienceMs` and `producer.timeout`, then gives them up. */
  async close(patienceMs: number): Promise<void> {
    this.closing = true;
    const { timeoutMs } = this.properties.producer;
    const realMs = this.clock.simulation ? SIMULATION_PATIENCE_MS : Math.min(patienceMs, timeoutMs);
    if (this.open > 0) await this.turns.until(() => this.open === 0, realMs);
    this.deadlines.abandonAll();
    for (const router of this.routers) router.stop();
    this.leaveSimulation?.();
  }

  private endOfTurn(): void {
    const awake = new Set(this.awake);
    this.awake = [];
    for (const router of awake) router.flush();
  }
}
