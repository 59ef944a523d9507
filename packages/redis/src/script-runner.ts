import type { Clock, Region } from '@delay-queue/core';
import type { Connection } from './connections/connection.js';
import type { Keys, RegionKeys } from './keys.js';
import { commandError } from './redis-errors.js';
import type { Script } from './script.js';

/** Runs a script: keys and arguments as text, the first argument (the test's now or 0) is added. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: readonly string[],
) => Promise<unknown>;

/** What a script about one region needs. */
export interface ScriptTarget {
  readonly run: RunScript;
  readonly keys: RegionKeys;
  readonly hintChannel: string;
  /** The region as a hint names it: `<index> <topic>`. */
  readonly hintRegion: string;
}

/** Runs scripts over one connection. */
export function scriptRunner(connection: Connection, clock: Clock): RunScript {
  return async (script, keys, args) => {
    const client = await connection.ready();
    const rest = scriptArguments(clock, keys, args);
    const call = script.binary ? 'callBuffer' : 'call';
    try {
      try {
        return await client[call]('evalsha', [script.sha, ...rest]);
      } catch (error) {
        if (!isUnknownScript(error)) throw error;
        return await client[call]('eval', [script.lua, ...rest]);
      }
    } catch (error) {
      throw commandError(error, `the ${script.name} script`, connection.lastError);
    }
  };
}

/** What follows a script's address: the number of its keys, the keys, the test's now or 0, its own arguments. */
export function scriptArguments(clock: Clock, keys: readonly string[], args: readonly string[]): string[] {
  const now = clock.simulation === undefined ? '0' : `${Math.floor(clock.now())}`;
  return [`${keys.length}`, ...keys, now, ...args];
}

/** A region's scripts over a runner. */
export function scriptTarget(run: RunScript, keys: Keys, region: Region): ScriptTarget {
  return {
    run,
    keys: keys.region(region),
    hintChannel: keys.hints,
    hintRegion: `${region.index} ${region.topic}`,
  };
}

/** The server forgot its scripts (restart, failover, SCRIPT FLUSH): nothing was run. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
