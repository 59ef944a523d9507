import { DelayQueueError, type Clock, type Logger } from '@delay-queue/core';
import { setTimeout as wait } from 'node:timers/promises';
import type { Connections } from './connections/connections.js';
import { withDeadline } from './connections/with-deadline.js';
import type { Durability } from './durability.js';
import type { Keys } from './keys.js';
import { isHopeless, messageOf, unavailable } from './redis-errors.js';
import { checkServer } from './server-check.js';

/** How long a boot waits for a Redis that is away. */
const PATIENCE_MS = 5_000;
const BETWEEN_TRIES_MS = 100;
const BETWEEN_LATER_TRIES_MS = 1_000;

/** What a boot needs. */
export interface Boot {
  readonly connections: Connections;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly strict: boolean;
  readonly durability: Durability | undefined;
  /** Whether the engine was closed meanwhile. */
  readonly closed: () => boolean;
}

/**
 * Connects and checks the server. A Redis that is away for 5 s is one error in the log, and the check goes on
 * in the background; what is set up unsafely is a warning. Under `strict` both reject.
 *
 * @throws DelayQueueError for what no waiting cures: login, rights, database, version
 */
export async function boot(context: Boot): Promise<void> {
  const { logger, strict, closed } = context;
  const patientUntil = performance.now() + PATIENCE_MS;
  let reason: unknown = unavailable(new Error('it does not answer'), 'the check at boot');
  for (;;) {
    try {
      const patienceMs = Math.max(BETWEEN_TRIES_MS, patientUntil - performance.now());
      return report(await withDeadline(check(context), patienceMs, () => new Late()), context);
    } catch (error) {
      if (closed()) return;
      if (!(error instanceof Late)) reason = error;
      if (isHopeless(reason)) throw reason;
      if (performance.now() >= patientUntil) {
        if (strict) throw reason;
        logger.error(`${messageOf(reason)}. The queue goes on trying; sends and consumers wait for Redis.`);
        void checkLater(context);
        return;
      }
    }
    await wait(BETWEEN_TRIES_MS);
  }
}

async function checkLater(context: Boot): Promise<void> {
  while (!context.closed()) {
    await wait(BETWEEN_LATER_TRIES_MS, undefined, { ref: false });
    try {
      return report(await check(context), context);
    } catch (error) {
      if (context.closed()) return;
      if (isHopeless(error)) return context.logger.error(messageOf(error));
    }
  }
}

/** The patience ran out in the middle of a try: what the one before ran into tells more. */
class Late extends Error {}

function check({ connections, keys, clock, durability }: Boot): Promise<readonly string[]> {
  return checkServer(connections.any(), keys, clock, durability);
}

function report(problems: readonly string[], { strict, logger }: Boot): void {
  if (strict && problems.length > 0) throw new DelayQueueError('UNSAFE_REDIS', problems.join('. '));
  for (const problem of problems) logger.warn(problem);
}
