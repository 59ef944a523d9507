/**
 * How long to wait after failure number `failures` (1-based) of something that is tried until it works:
 * `firstMs`, doubled each time up to `mostMs`, less up to a half by chance, so that many processes do not come
 * back in step. ("Equal jitter", Marc Brooker, "Exponential Backoff And Jitter", AWS, 2015.)
 */
export function backOffMs(failures: number, firstMs: number, mostMs: number, random = Math.random): number {
  const wait = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), mostMs);
  return wait / 2 + (wait / 2) * random();
}
