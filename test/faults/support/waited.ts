import { existsSync, readFileSync } from 'node:fs';

/**
 * For how long the machine has kept the main thread of a process waiting for a processor, in milliseconds; 0 where it
 * does not tell (only Linux does).
 */
export function waitedMs(pid = 'self'): number {
  const file = `/proc/${pid}/schedstat`;
  if (!existsSync(file)) return 0;
  const [, waitedNs] = readFileSync(file, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}
