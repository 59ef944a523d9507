import type { Clock, DelayEngine, Logger, PutMessage, PutOutcome, Region } from '@delay-queue/core';
import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { TestClock } from '../contract/support/test-clock.js';

export const REGION: Region = { topic: 'order:timeout', index: 0 };

/** An open engine on a store, by default under a clock that stands still. */
export async function openEngine(
  store = new MemoryStore(),
  clock: Clock = new TestClock(),
  logger: Logger = silent,
): Promise<DelayEngine> {
  const engine = memoryEngine({ store })({ namespace: 'test', clock, logger });
  await engine.open();
  return engine;
}

const silent: Logger = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** A message due in `delayMs`. */
export const message = (id: string, delayMs: number, extras: Partial<PutMessage> = {}): PutMessage => ({
  id,
  due: { delayMs },
  content: '1',
  onDuplicate: 'keep',
  ...extras,
});

/** Puts messages in the region of these tests. */
export async function put(engine: DelayEngine, ...messages: PutMessage[]): Promise<readonly PutOutcome[]> {
  const outcomes = await engine.put(REGION, messages, { epoch: 0 });
  if (outcomes === 'moved') throw new Error('nobody moved this region');
  return outcomes;
}

/** A claim with a lease of a minute. */
export const claim = (engine: DelayEngine, max = 1000) =>
  engine.claim(REGION, { max, leaseMs: 60_000, maxCrashes: 5 });
