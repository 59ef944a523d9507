import type { InjectionToken } from '@nestjs/common';
import { DelayQueueContext, type Clock, type EngineFactory } from '@delay-queue/core';
import { DEFAULT_NAME } from './default-name.js';
import { DelayQueueInitHandler } from './delay-queue-init-handler.js';

/*
 * Strings, so that two copies of this package in one program mean the same thing. The default instance alone is
 * also known by its classes: several providers of one class would make `app.get(…)` return any of them.
 */

/** What to inject to get the context of an instance: the class for the default one, a string for the others. */
export function getDelayQueueToken(name: string = DEFAULT_NAME): InjectionToken<DelayQueueContext> {
  return name === DEFAULT_NAME ? DelayQueueContext : `delay-queue:context:${name}`;
}

/** What to inject, or `app.get`, to start an instance's consumers by hand or register those of a lazy module. */
export function getDelayQueueInitHandlerToken(
  name: string = DEFAULT_NAME,
): InjectionToken<DelayQueueInitHandler> {
  return name === DEFAULT_NAME ? DelayQueueInitHandler : `delay-queue:init-handler:${name}`;
}

/**
 * The engine factory of an instance. For tests of a whole application:
 * `overrideProvider(getDelayQueueEngineToken()).useValue(memoryEngine())`.
 */
export function getDelayQueueEngineToken(name: string = DEFAULT_NAME): InjectionToken<EngineFactory> {
  return `delay-queue:engine:${name}`;
}

/**
 * The clock of an instance. For tests of a whole application:
 * `overrideProvider(getDelayQueueClockToken()).useValue(new VirtualClock())`.
 */
export function getDelayQueueClockToken(name: string = DEFAULT_NAME): InjectionToken<Clock> {
  return `delay-queue:clock:${name}`;
}
