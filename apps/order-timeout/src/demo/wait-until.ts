import { setTimeout as sleep } from 'node:timers/promises';

/** Looks every 10 ms whether `isSo`; false where it is still not so after `limitMs`. */
export async function waitUntil(isSo: () => boolean, limitMs: number): Promise<boolean> {
  const giveUpAt = Date.now() + limitMs;
  while (!isSo()) {
    if (Date.now() > giveUpAt) return false;
    await sleep(10);
  }
  return true;
}
