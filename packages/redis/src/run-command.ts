import type { Connection } from './connections/connection.js';
import { commandError } from './redis-errors.js';

/** Runs one plain command; rejects with typed errors. */
export type RunCommand = (command: string, ...args: string[]) => Promise<unknown>;

/** Runs plain commands over the connection that `connection` names at each call. */
export function commandRunner(connection: () => Connection): RunCommand {
  return async (command, ...args) => {
    const current = connection();
    const client = await current.ready();
    try {
      return await client.call(command, args);
    } catch (error) {
      throw commandError(error, command.toUpperCase(), current.lastError);
    }
  };
}
