import type { Logger } from '@delay-queue/core';

/** Engines report through their answers; what they log is other tests' affair. */
export const silentLogger: Logger = { log: () => undefined, warn: () => undefined, error: () => undefined };
