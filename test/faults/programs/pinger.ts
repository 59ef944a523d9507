/*
 * A client that does nothing but ask for a sign of life, of the server that all use and of a `CONTROL_URL` that
 * nobody else uses: what both are late with is the machine's doing. Writes down how long each answer took, and for
 * how much of it this process and the main server (`SERVER_PID`) had work to do and no processor to do it on. Prints
 * `ready`; ends on SIGTERM.
 */
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { waitedMs } from '../support/waited.js';
import { journal } from './settings.js';

const { REDIS_URL = '', CONTROL_URL = '', SERVER_PID = '' } = process.env;
/** Between an answer and the next question. */
const PAUSE_MS = 2;

const told = new AbortController();
const pinging = [ping('main', REDIS_URL), ping('control', CONTROL_URL)];
process.stdout.write('ready\n');
await once(process, 'SIGTERM');
told.abort();
await Promise.all(pinging);

async function ping(server: 'main' | 'control', url: string): Promise<void> {
  const client = new Redis(url);
  while (!told.signal.aborted) {
    const own = waitedMs();
    const main = waitedMs(SERVER_PID);
    const from = performance.now();
    await client.ping();
    const ms = performance.now() - from;
    journal.write({
      event: 'pinged',
      server,
      ms,
      waitedMs: { own: waitedMs() - own, main: waitedMs(SERVER_PID) - main },
    });
    await pass(PAUSE_MS);
  }
  client.disconnect();
}
