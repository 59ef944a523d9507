import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { uniqueNamespace } from '../support/unique.js';
import { claimIds, message, putDue, REGION } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';

const LEASE_MS = 8_000;
const options = { leaseMs: LEASE_MS, maxCrashes: 2 };

let admin: Redis;
let clock: TestClock;
let namespace: string;
const worker = (): Promise<TestEngine> => openEngine(inject('redisUrl'), { namespace, clock });
const keyOf = (what: string): string => `{${namespace}:${REGION.topic}:0}:${what}`;

beforeAll(() => {
  admin = new Redis(inject('redisUrl'));
});
afterAll(() => admin.quit());
beforeEach(() => {
  clock = new TestClock();
  namespace = uniqueNamespace();
});

describe('a worker that comes', () => {
  it('recovers nobody before three quarters of a lease of contact, and looks again just then', async () => {
    const first = await worker();
    await putDue(first, 'a');
    await claimIds(first, options);
    clock.advance(LEASE_MS + 1);
    const second = await worker();
    const early = await claimIds(second, options);
    expect(early).toMatchObject({ ids: [], recovered: 0 });
    expect(early.lookAt).toBeGreaterThanOrEqual(clock.now() + LEASE_MS * 0.75);
    expect(early.lookAt).toBeLessThanOrEqual(clock.now() + LEASE_MS * 0.75 + 500);
    clock.advance(LEASE_MS * 0.75 - 1);
    expect(await claimIds(second, options)).toMatchObject({ ids: [], recovered: 0 });
    clock.advance(1);
    expect(await claimIds(second, options)).toMatchObject({ ids: ['a'], recovered: 1 });
  });

  it('looks again when the lease of another may expire', async () => {
    const first = await worker();
    await putDue(first, 'a');
    await claimIds(first, options);
    const second = await worker();
    const { lookAt } = await claimIds(second, options);
    expect(lookAt).toBeGreaterThanOrEqual(clock.now() + LEASE_MS);
    expect(lookAt).toBeLessThanOrEqual(clock.now() + LEASE_MS + 500);
  });

  it('begins its grace anew when contact breaks', async () => {
    const first = await worker();
    const second = await worker();
    await putDue(first, 'a');
    await claimIds(first, options);
    await claimIds(second, options);
    clock.advance(LEASE_MS + 1);
    for (const line of String(await admin.client('LIST')).split('\n')) {
      const id = /^id=(\d+)/.exec(line)?.[1];
      if (id !== undefined && line.includes(`name=delay-queue:${namespace} `))
        await admin.client('KILL', 'ID', id);
    }
    const found = (): Promise<unknown> => claimIds(second, options).catch(() => undefined);
    await expect.poll(found).toMatchObject({ ids: [], recovered: 0 });
    clock.advance(LEASE_MS);
    expect(await claimIds(second, options)).toMatchObject({ ids: ['a'], recovered: 1 });
  });
});

describe('recovery', () => {
  it('gives back many leases at once, messages in hand or not', async () => {
    const first = await worker();
    const second = await worker();
    await claimIds(second, options);
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await putDue(first, id);
      await claimIds(first, options);
    }
    clock.advance(LEASE_MS);
    await putDue(first, 'fresh');
    const claim = await claimIds(second, options);
    expect(claim).toMatchObject({ ids: ['fresh'], recovered: 5 });
    expect(claim.lookAt).toBeLessThanOrEqual(claim.now);
    expect((await claimIds(second, options)).ids.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await admin.keys(keyOf('held:*'))).toHaveLength(2);
  });

  it('parts suspects, claims them one at a time, and kills only the one that kills', async () => {
    const engine = await worker();
    await claimIds(engine, options);
    clock.advance(LEASE_MS);
    const ids = ['a', 'b', 'poison', 'c', 'd'];
    await putDue(engine, ...ids);
    const done = new Set<string>();
    const dead: string[] = [];
    for (let round = 0; round < 60 && done.size + dead.length < ids.length; round++) {
      const claim = await claimIds(engine, options);
      dead.push(...claim.dead.map(({ id }) => id));
      const suspects = claim.messages.filter(({ crashes }) => crashes >= 2);
      if (suspects.length > 0) expect(claim.ids).toHaveLength(1);
      // Whoever holds the poison dies, the others get their work done.
      if (claim.lease !== undefined && !claim.ids.includes('poison')) {
        const verdicts = claim.ids.map((id) => ({ id, verdict: 'done' as const }));
        await engine.settle(REGION, claim.lease, verdicts, { dedupeMs: 0 });
        for (const id of claim.ids) done.add(id);
      }
      clock.advance(LEASE_MS);
    }
    expect([...done].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(dead).toEqual(['poison']);
    expect(await engine.inspector?.find(REGION, 'poison', { epoch: 1 })).toMatchObject({
      state: 'dead',
      reason: '3 deliveries ended in a lost lease',
      deliveries: 3,
      crashes: 3,
      content: '"content of poison"',
    });
  });

  it('never touches a lease that was renewed in time, and a renewed one is not brought back', async () => {
    const first = await worker();
    const second = await worker();
    await claimIds(second, options);
    await putDue(first, 'a');
    const { lease = '' } = await claimIds(first, options);
    for (let i = 0; i < 5; i++) {
      clock.advance(LEASE_MS - 1);
      expect(await first.renew(REGION, [lease, 'other.1'], LEASE_MS)).toEqual(['other.1']);
      expect(await claimIds(second, options)).toMatchObject({ ids: [], recovered: 0 });
    }
    clock.advance(LEASE_MS);
    expect(await claimIds(second, options)).toMatchObject({ ids: ['a'], recovered: 1 });
    expect(await first.renew(REGION, [lease], LEASE_MS)).toEqual([lease]);
    expect(await first.settle(REGION, lease, [{ id: 'a', verdict: 'done' }], { dedupeMs: 0 })).toEqual({
      stale: ['a'],
      superseded: [],
    });
  });

  it('removes a lease that holds nothing any more', async () => {
    const engine = await worker();
    await putDue(engine, 'a');
    await claimIds(engine, options);
    await admin.del(await admin.keys(keyOf('held:*')));
    clock.advance(LEASE_MS);
    expect(await claimIds(engine, options)).toMatchObject({ recovered: 0, ids: [] });
    expect(await admin.exists(keyOf('leases'))).toBe(0);
  });
});

describe('a damaged store', () => {
  it('makes an id without its message a dead letter, and goes on with the others', async () => {
    const engine = await worker();
    await putDue(engine, 'a', 'b', 'c');
    await admin.hdel(keyOf('message'), 'b');
    const claim = await claimIds(engine, options);
    expect(claim.ids).toEqual(['a', 'c']);
    expect(claim.dead).toEqual([{ id: 'b', reason: 'lost content' }]);
    expect(await engine.inspector?.find(REGION, 'b', { epoch: 1 })).toMatchObject({
      state: 'dead',
      reason: 'lost content',
      content: '',
    });
    expect(await admin.zcard(keyOf('due'))).toBe(0);
  });

  it('heals when a lost id is put again', async () => {
    const engine = await worker();
    await putDue(engine, 'a');
    await admin.hdel(keyOf('message'), 'a');
    expect(await putDue(engine, 'a')).toEqual([{ outcome: 'stored' }]);
    expect((await claimIds(engine, options)).ids).toEqual(['a']);
  });

  it('says which key is of the wrong kind, and that it may be half done', async () => {
    const engine = await worker();
    await admin.set(keyOf('due'), 'something else');
    await expect(putDue(engine, 'a')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('WRONGTYPE') as string,
    });
  });
});

describe('a message of a newer version', () => {
  it('is held but not read, and released for another worker, unchanged', async () => {
    const engine = await worker();
    await putDue(engine, 'a', 'b');
    const newer = '9some newer form';
    await admin.hset(keyOf('message'), 'a', newer);
    const claim = await claimIds(engine, options);
    expect(claim).toMatchObject({ ids: ['b'], unreadable: ['a'] });
    const verdict = { id: 'a', verdict: 'release' as const, started: false, delayMs: 30_000 };
    await engine.settle(REGION, claim.lease ?? '', [verdict], { dedupeMs: 0 });
    expect(await admin.hget(keyOf('message'), 'a')).toBe(newer);
    expect(await admin.zscore(keyOf('due'), 'a')).toBe(`${clock.now() + 30_000}`);
    expect(await admin.hexists(keyOf('retries'), 'a')).toBe(0);
    expect(await engine.reschedule(REGION, 'a', { delayMs: 5 }, { epoch: 1 })).toBe('rescheduled');
    expect(await admin.hget(keyOf('message'), 'a')).toBe(newer);
    const page = await engine.inspector?.page(REGION, 'waiting', 0, 10);
    expect(page?.messages).toMatchObject([{ id: 'a', content: '', dueAt: clock.now() + 5 }]);
  });
});

it('a put of a waiting time in parts of milliseconds is never early', async () => {
  const engine = await worker();
  await engine.put(REGION, [message('a', 10.2), message('b', -3)], { epoch: 1 });
  const { messages } = (await engine.inspector?.page(REGION, 'waiting', 0, 10)) ?? { messages: [] };
  expect(messages.map(({ id, dueAt }) => [id, dueAt - clock.now()])).toEqual([
    ['b', 0],
    ['a', 11],
  ]);
});
