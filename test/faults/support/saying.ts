import { writeSync } from 'node:fs';
import type { Said } from './deeds.js';

/** Prints it as one JSON object; written when it returns, whatever becomes of the process. */
export function say(event: Said): void {
  writeSync(1, `${JSON.stringify({ ...event, at: performance.now() })}\n`);
}

/** What keeps the process alive, after two turns, in which Node closes the files it read; without its own output. */
export async function active(): Promise<string[]> {
  for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
  return process.getActiveResourcesInfo().filter((resource) => resource !== 'PipeWrap');
}

process.on('warning', ({ message }) => say({ event: 'warning', message }));
process.on('unhandledRejection', (reason) => say({ event: 'unhandled', message: String(reason) }));
