import { describe, type ConsumerOptions, type Handler } from '@delay-queue/core';
import { bootError } from './boot-error.js';
import { candidateOf, type Candidate } from './consumer-candidate.js';
import { handlerOf } from './consumer-handler.js';
import { DEFAULT_NAME } from './default-name.js';
import { methodOf } from './method-of.js';
import type { HostModule } from './nest-containers.js';
import { checkForSilentTraps } from './silent-traps.js';

/** A consumer of the application. */
export interface FoundConsumer {
  readonly topic: string;
  /** The instance it belongs to. */
  readonly delayQueue: string;
  readonly options: ConsumerOptions;
  readonly handler: Handler;
  /** The same for the same consumer, however often and under whatever token it is found. */
  readonly identity: object;
  /** Class and module, for messages. */
  readonly label: string;
}

/**
 * All consumers of these modules: classes with `@DelayConsumer`, their own or inherited, and providers that
 * implement `ConsumerTask` with `topic()`. Looks and calls nothing but `topic()`.
 *
 * @throws DelayQueueError INVALID_OPTION for a consumer that would fail silently
 */
export function findConsumers(modules: Iterable<HostModule>): FoundConsumer[] {
  const found = new Map<object, FoundConsumer>();
  for (const module of modules) {
    for (const wrapper of [...module.providers.values(), ...module.controllers.values()]) {
      const candidate = candidateOf(module, wrapper);
      if (candidate === undefined) continue;
      const consumer = candidate.declaration ? declared(candidate) : plainTask(candidate);
      if (consumer && !found.has(consumer.identity)) found.set(consumer.identity, consumer);
    }
  }
  return [...found.values()];
}

function declared(candidate: Candidate): FoundConsumer | undefined {
  const { declaration, label, instance } = candidate;
  if (declaration === undefined) return undefined;
  checkForSilentTraps(candidate);
  const { topic } = declaration;
  const { delayQueue = DEFAULT_NAME, scope: _, ...options } = declaration.options;
  const method = instance && !candidate.perMessage ? methodOf(instance, 'topic') : undefined;
  const said = method?.length === 0 ? method.call(instance) : topic;
  if (said !== topic) {
    throw bootError(
      label,
      `@DelayConsumer says topic ${describe(topic)} and topic() says ${describe(said)}: keep one`,
    );
  }
  return consumerOf(candidate, topic, delayQueue, options);
}

/** A method of the same name with parameters belongs to something else. */
function plainTask(candidate: Candidate): FoundConsumer | undefined {
  const { instance, label } = candidate;
  if (instance === undefined || !methodOf(instance, 'execute')) return undefined;
  const method = methodOf(instance, 'topic');
  if (method === undefined || method.length > 0) return undefined;
  if (candidate.perMessage) {
    throw bootError(
      label,
      'a ConsumerTask that is made per message has no object that topic() could be asked of at boot: decorate the class with @DelayConsumer(topic)',
    );
  }
  const topic = method.call(instance);
  if (typeof topic !== 'string') {
    throw bootError(
      label,
      `it has execute() and topic() and so is taken for a ConsumerTask, but topic() returned ${describe(topic)}: return the topic's name, or name the methods otherwise`,
    );
  }
  checkForSilentTraps(candidate);
  return consumerOf(candidate, topic, DEFAULT_NAME, {});
}

function consumerOf(
  candidate: Candidate,
  topic: string,
  delayQueue: string,
  options: ConsumerOptions,
): FoundConsumer {
  const { instance, perMessage, wrapper, label } = candidate;
  const identity = perMessage || instance === undefined ? wrapper : instance;
  return { topic, delayQueue, options, handler: handlerOf(candidate), identity, label };
}
