import { systemClock, type Clock, type DelayEngine, type Logger } from '@delay-queue/core';
import { redisEngine, type RedisConnection, type RedisEngineOptions } from '@delay-queue/redis';
import { afterEach } from 'vitest';
import { uniqueNamespace } from '../support/unique.js';

/** What an engine logged. */
export interface LogLines extends Logger {
  readonly lines: string[];
}

/** A logger that keeps its lines, with the level in front. */
export function logLines(): LogLines {
  const lines: string[] = [];
  const keep =
    (level: string) =>
    (message: string): void =>
      void lines.push(`${level}: ${message}`);
  return { lines, log: keep('log'), warn: keep('warn'), error: keep('error') };
}

/** An engine under test, with what it logged. */
export interface TestEngine extends DelayEngine {
  readonly namespace: string;
  readonly log: readonly string[];
}

const engines: DelayEngine[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** An engine that is not open yet; closed after the test. */
export function makeEngine(
  connection: RedisConnection,
  options: { namespace?: string; clock?: Clock } & Omit<RedisEngineOptions, 'connection'> = {},
): TestEngine {
  const { namespace = uniqueNamespace(), clock = systemClock, ...settings } = options;
  const logger = logLines();
  const engine = redisEngine({ connection, ...settings })({ namespace, clock, logger });
  engines.push(engine);
  return Object.assign(engine, { namespace, log: logger.lines });
}

/** An open engine; closed after the test. */
export async function openEngine(...args: Parameters<typeof makeEngine>): Promise<TestEngine> {
  const engine = makeEngine(...args);
  await engine.open();
  return engine;
}
