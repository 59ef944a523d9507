import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { claimIds, claimSome, message, REGION } from './messages.js';
import { openEngine } from './open-engines.js';

let admin: Redis;
beforeAll(() => {
  admin = new Redis(inject('redisUrl'));
});
afterAll(() => admin.quit());

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);

describe('one call', () => {
  it.each([999, 1_000, 1_001, 7_999, 8_000, 20_000])(
    'puts, cancels, claims and settles %i',
    async (count) => {
      const engine = await openEngine(inject('redisUrl'));
      const all = ids(count);
      const stored = await engine.put(
        REGION,
        all.map((id) => message(id, 0)),
        { epoch: 1 },
      );
      expect(stored).toHaveLength(count);
      const later = all.map((id) => message(id, 0, { onDuplicate: 'replace' }));
      expect(await engine.put(REGION, later, { epoch: 1 })).toEqual(all.map(() => ({ outcome: 'replaced' })));
      expect(new Set(await engine.cancel(REGION, all, { epoch: 1 }))).toEqual(new Set(['cancelled']));
      await engine.put(REGION, later, { epoch: 1 });
      await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: count });
      const { lease, ids: claimed } = await claimSome(engine, { max: count });
      expect(claimed).toHaveLength(count);
      // Every one gets a follower, which every settle has to promote.
      await engine.put(REGION, later, { epoch: 1 });
      const verdicts = all.map((id, i) =>
        i % 2 === 0
          ? { id, verdict: 'done' as const }
          : { id, verdict: 'retry' as const, delayMs: 0, failed: true },
      );
      const settled = await engine.settle(REGION, lease, verdicts, { dedupeMs: 60_000 });
      expect(settled.stale).toEqual([]);
      expect(settled.superseded).toHaveLength(Math.floor(count / 2));
      expect(await engine.inspector?.counts(REGION)).toMatchObject({ waiting: count, running: 0 });
      await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: count });
      const again = await claimSome(engine, { max: count });
      const dead = again.ids.map((id) => ({
        id,
        verdict: 'dead' as const,
        reason: 'x'.repeat(1024),
        failed: true,
      }));
      await engine.settle(REGION, again.lease, dead, { dedupeMs: 0 });
      expect(new Set(await engine.inspector?.redrive(REGION, again.ids))).toEqual(new Set([true]));
      await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: count });
      const last = await claimSome(engine, { max: count });
      const done = last.ids.map((id) => ({ id, verdict: 'done' as const }));
      await engine.settle(REGION, last.lease, done, { dedupeMs: 0 });
      expect((await admin.keys(`{${engine.namespace}*`)).map((key) => key.replace(/.*\}:/, ''))).toEqual([
        'epoch',
      ]);
    },
    60_000,
  );
});

it('a claim of large messages is cut at a megabyte, and one larger than that still comes', async () => {
  const engine = await openEngine(inject('redisUrl'));
  const large = (id: string, size: number): ReturnType<typeof message> =>
    message(id, 0, { content: 'x'.repeat(size) });
  await engine.put(
    REGION,
    ids(40).map((id) => large(id, 100_000)),
    { epoch: 1 },
  );
  await engine.put(REGION, [large('z', 5_000_000)], { epoch: 1 });
  await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: 41 });
  const first = await claimSome(engine);
  expect(first.ids.length).toBeGreaterThan(8);
  expect(first.ids.length).toBeLessThan(13);
  expect(first.lookAt).toBeLessThanOrEqual(first.now);
  const seen = [...first.ids];
  for (let claim = await claimIds(engine); claim.ids.length > 0; claim = await claimIds(engine))
    seen.push(...claim.ids);
  expect(seen.sort()).toEqual([...ids(40), 'z'].sort());
});

it('handled ids are forgotten after their time, a few more with each settle than come in', async () => {
  const engine = await openEngine(inject('redisUrl'));
  const seen = `{${engine.namespace}:${REGION.topic}:0}:seen`;
  const handle = async (some: readonly string[], dedupeMs: number): Promise<void> => {
    await engine.put(
      REGION,
      some.map((id) => message(id)),
      { epoch: 1 },
    );
    await expect.poll(() => engine.inspector?.counts(REGION)).toMatchObject({ due: some.length });
    const { lease } = await claimSome(engine);
    await engine.settle(
      REGION,
      lease,
      some.map((id) => ({ id, verdict: 'done' as const })),
      { dedupeMs },
    );
  };
  await handle(ids(50), 1);
  expect(await admin.zcard(seen)).toBeGreaterThan(0);
  await expect.poll(() => engine.inspector?.find(REGION, 'm0', { epoch: 1 })).toBeUndefined();
  await handle(['n1', 'n2', 'n3'], 60_000);
  expect(await admin.zcard(seen)).toBe(50 - 6 + 3);
  await handle(ids(30), 60_000);
  expect(await admin.zcard(seen)).toBe(33);
  // A topic that no longer asks for it loses what is left.
  await admin.zadd(seen, 1, 'old');
  await handle(['last'], 0);
  expect(await admin.zscore(seen, 'old')).toBeNull();
});
