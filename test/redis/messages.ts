import { vi } from 'vitest';
import type { Claim, ClaimOptions, DelayEngine, PutMessage, Region } from '@delay-queue/core';

/** The region that most tests use. */
export const REGION: Region = { topic: 'order:timeout', index: 0 };

/** How most tests claim. */
export const CLAIM: ClaimOptions = { max: 100, leaseMs: 30_000, maxCrashes: 5 };

/** A message that is due after `delayMs`. */
export function message(id: string, delayMs = 0, extra: Partial<PutMessage> = {}): PutMessage {
  return { id, due: { delayMs }, content: JSON.stringify(`content of ${id}`), onDuplicate: 'keep', ...extra };
}

/** Puts messages of these ids, due now. */
export function putDue(engine: DelayEngine, ...ids: string[]): Promise<unknown> {
  return engine.put(
    REGION,
    ids.map((id) => message(id)),
    { epoch: 1 },
  );
}

let count = 0;

/** Puts a message that is due now and new, so that something has to be written. */
export function putNew(engine: DelayEngine): Promise<unknown> {
  return putDue(engine, `new ${count++}`);
}

/** Claims, and tells the ids in their order. */
export async function claimIds(
  engine: DelayEngine,
  options: Partial<ClaimOptions> = {},
): Promise<Claim & { ids: string[] }> {
  const claim = await engine.claim(REGION, { ...CLAIM, ...options });
  return { ...claim, ids: claim.messages.map(({ id }) => id) };
}

/** Claims until something is found: what was put just now is due a moment later, never early. */
export async function claimSome(
  engine: DelayEngine,
  options: Partial<ClaimOptions> = {},
): Promise<Claim & { ids: string[]; lease: string }> {
  return vi.waitFor(
    async () => {
      const claim = await claimIds(engine, options);
      if (claim.lease === undefined) throw new Error('nothing was due');
      return { ...claim, lease: claim.lease };
    },
    { timeout: 5_000, interval: 2 },
  );
}
