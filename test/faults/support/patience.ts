import type { Redis } from 'ioredis';
import type { Entry } from './journal.js';

/** How long answers took, milliseconds; without the time for which a process had to wait for a processor. */
export interface Patience {
  readonly p99: number;
  readonly max: number;
  /** With the time of waiting. */
  readonly rawP99: number;
}

type Ping = Entry & { readonly event: 'pinged' };

/** How long the server of a stage and one that is idle let a pinger wait in a time. */
export function pings(
  entries: readonly Entry[],
  from: number,
  to: number,
): Readonly<Record<'main' | 'control', Patience>> {
  const of = (server: 'main' | 'control'): Patience => {
    const some = entries.filter(
      (entry): entry is Ping =>
        entry.event === 'pinged' && entry.server === server && entry.at >= from && entry.at <= to,
    );
    const took = some
      .map(({ ms, waitedMs }) => Math.max(0, ms - waitedMs.own - waitedMs.main))
      .sort((a, b) => a - b);
    const raw = some.map(({ ms }) => ms).sort((a, b) => a - b);
    return { p99: p99(took), max: rounded(took.at(-1)), rawP99: p99(raw) };
  };
  return { main: of('main'), control: of('control') };
}

/**
 * The scripts in the slow log that took longer than `ms`, each once. How long the server had to wait for a processor in
 * one piece about that second does not count.
 */
export async function slowScripts(
  client: Redis,
  entries: readonly Entry[],
  ms: number,
): Promise<readonly string[]> {
  const waits = new Map<number, number>();
  for (const entry of entries) {
    if (entry.event !== 'pinged') continue;
    const second = Math.floor(entry.at / 1_000);
    for (const near of [second - 1, second, second + 1])
      waits.set(near, Math.max(waits.get(near) ?? 0, entry.waitedMs.main));
  }
  const log = (await client.slowlog('GET', -1)) as [id: number, second: number, us: number, args: string[]][];
  const slow = log.filter(([, second, us]) => us / 1_000 - (waits.get(second) ?? 0) > ms);
  return [...new Set(slow.map(([, , , [command = '', script = '']]) => `${command} ${script}`))];
}

function p99(sorted: readonly number[]): number {
  return rounded(sorted[Math.ceil(sorted.length * 0.99) - 1]);
}

function rounded(ms = NaN): number {
  return Math.round(ms * 100) / 100;
}
