import { DelayQueueRuntime, resolveProperties, type DelayQueueOptions } from '@delay-queue/core';
import { memoryEngine, type MemoryStore } from '@delay-queue/memory';
import { onTestFinished } from 'vitest';
import { RecordedLog } from './recorded-log.js';
import { TappedEngine } from './tapped-engine.js';

/** An instance on a memory engine that a test can listen to. */
export interface Instance {
  readonly runtime: DelayQueueRuntime;
  readonly queue: DelayQueueRuntime['context'];
  readonly engine: TappedEngine;
  readonly log: RecordedLog;
}

/** Opens one; it is closed after the test. */
export async function instance(
  options: Partial<DelayQueueOptions> = {},
  memory: { store?: MemoryStore; maxMessages?: number } = {},
): Promise<Instance> {
  const engine = new TappedEngine();
  const log = new RecordedLog();
  const runtime = new DelayQueueRuntime(
    resolveProperties({ engine: engine.factory(memoryEngine(memory)), logger: log, ...options }),
  );
  onTestFinished(async () => {
    engine.tap = (_call, next) => next();
    await runtime.close();
  });
  await runtime.open();
  return { runtime, queue: runtime.context, engine, log };
}

/** What a promise comes to, without waiting for it: `pending` until then. */
export function watched<T>(promise: Promise<T>): {
  state: 'pending' | 'done' | 'failed';
  value?: T;
  error?: unknown;
} {
  const seen: ReturnType<typeof watched<T>> = { state: 'pending' };
  promise.then(
    (value) => Object.assign(seen, { state: 'done', value }),
    (error: unknown) => Object.assign(seen, { state: 'failed', error }),
  );
  return seen;
}
