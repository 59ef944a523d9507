import { Injectable, type Scope } from '@nestjs/common';
import { INJECTABLE_WATERMARK } from '@nestjs/common/constants.js';
import { DelayQueueError, type ConsumerTask } from '@delay-queue/core';
import { declareConsumer, declaresConsumer } from './consumer-metadata.js';
import { scopeOf } from './class-scope.js';
import type { DelayConsumerOptions } from './delay-consumer-options.js';

/** A class whose objects are consumers. */
export type ConsumerClass = abstract new (...args: never[]) => ConsumerTask<never>;

/**
 * Makes a provider the consumer of a topic: its `execute(content, message)` runs for every message when it is
 * due. It is found in whatever module provides it, and subclasses inherit the declaration unless they bring one of
 * their own. A topic has one consumer in an application; the fleet has as many as there are processes.
 *
 * @param topic 1-128 of `A-Z a-z 0-9 : . _ -`; checked at boot, like the options
 * @throws DelayQueueError INVALID_OPTION on a class decorated twice, or with two different scopes
 */
export function DelayConsumer(
  topic: string,
  options: DelayConsumerOptions = {},
): (target: ConsumerClass) => void {
  return (target) => {
    if (declaresConsumer(target)) {
      throw new DelayQueueError(
        'INVALID_OPTION',
        `${target.name} has two @DelayConsumer decorators, but a class consumes one topic: write one class for each`,
      );
    }
    makeInjectable(target, options.scope);
    declareConsumer(target, { topic, options });
  };
}

/** Like `@Injectable()`, without undoing what one of its own, or a base class, says. */
function makeInjectable(target: ConsumerClass, scope: Scope | undefined): void {
  const declared = scopeOf(target);
  const own = Reflect.hasOwnMetadata(INJECTABLE_WATERMARK, target);
  if (scope !== undefined && own && declared?.scope !== undefined && declared.scope !== scope) {
    throw new DelayQueueError(
      'INVALID_OPTION',
      `${target.name} has one scope in @Injectable and another in @DelayConsumer: keep one of them`,
    );
  }
  if (scope !== undefined) Injectable({ ...declared, scope })(target);
  else if (!own) Reflect.defineMetadata(INJECTABLE_WATERMARK, true, target);
}
