import { DelayQueueError, type DelayQueueOptions } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { instance } from './support/instance.js';
import { ManualClock } from './support/manual-clock.js';
import type { Tap } from './support/tapped-engine.js';

const TOPIC = 'order:timeout';

/** Numbers from 0 to 1, the same ones for a seed (mulberry32, public domain, Tommy Ettinger). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What happens to a call: nothing much, or trouble, one time in so many. */
function troubled(random: () => number, oneIn: number): Tap {
  return async (call, next) => {
    if (call.method === 'open' || call.method === 'close' || random() * oneIn > 1) return next();
    switch (Math.floor(random() * 5)) {
      case 0:
        throw new DelayQueueError('UNAVAILABLE', 'away');
      case 1:
        throw new DelayQueueError('OUT_OF_MEMORY', 'full');
      case 2:
        await next();
        throw new DelayQueueError('TIMEOUT', 'the answer was lost', { mayBeStored: true });
      case 3:
        throw new DelayQueueError('TIMEOUT', 'the call was lost', { mayBeStored: true });
      default:
        if (random() < 0.5) await next();
        return new Promise(() => undefined);
    }
  };
}

/** What the outcomes of all sends of one id say about it. */
interface Account {
  stored: boolean;
  mayBeStored: boolean;
}

it.each(Array.from({ length: 30 }, (_, seed) => seed))(
  'with any trouble, what sends say is what the store holds (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const clock = new ManualClock();
    const store = new MemoryStore();
    const options: Partial<DelayQueueOptions> = { clock, producer: { maxPending: 40, timeout: '3s' } };
    const senders = [await instance({ ...options, regions: 3 }, { store })];
    const accounts = new Map<string, Account>();
    let settled = 0;
    let started = 0;

    const send = async (): Promise<void> => {
      const { queue } = senders[Math.floor(random() * senders.length)] ?? senders[0] ?? raise();
      const given = random() < 0.5 ? `m${Math.floor(random() * 30)}` : undefined;
      const onDuplicate = (['keep', 'reject', 'replace'] as const)[Math.floor(random() * 3)] ?? 'keep';
      started++;
      const [result] = await queue.sendMany(TOPIC, [
        { content: seed, delay: '1h', onDuplicate, ...(given !== undefined && { id: given }) },
      ]);
      settled++;
      const id = result?.id ?? raise();
      const account = accounts.get(id) ?? { stored: false, mayBeStored: false };
      if (result?.outcome !== 'failed') account.stored = true;
      else if (result.error.code === 'DUPLICATE') account.stored = true;
      else if (result.error.mayBeStored) account.mayBeStored = true;
      accounts.set(id, account);
    };

    const sends: Promise<void>[] = [];
    for (let step = 0; step < 25; step++) {
      const oneIn = 1 + random() * 8;
      for (const { engine } of senders) engine.tap = troubled(random, oneIn);
      for (let i = 0; i < 12; i++) sends.push(send());
      await clock.tick(random() * 700);
      if (step % 8 === 7) {
        for (const { engine } of senders) engine.tap = (_call, next) => next();
        senders.push(await instance({ ...options, regions: 1 + Math.floor(random() * 12) }, { store }));
        await senders.at(-1)?.queue.send(TOPIC, 0, '1h', { id: 'probe' });
        accounts.set('probe', { stored: true, mayBeStored: true });
      }
    }
    await clock.tick(3_001);
    expect(settled).toBe(started); // in time, all of them
    await Promise.all(sends);

    for (const { engine } of senders) engine.tap = (_call, next) => next();
    await clock.tick(40_000); // silent calls count as lost by now
    const { queue } = senders[0] ?? raise();
    const page = await queue.inspect(TOPIC).page('waiting', { limit: 1_000 });
    const found = page.messages.map(({ id }) => id);
    expect(new Set(found).size).toBe(found.length); // no id stands in two regions
    const present = new Set(found);
    for (const [id, { stored, mayBeStored }] of accounts) {
      if (stored) expect(present).toContain(id);
      if (!stored && !mayBeStored) expect(present).not.toContain(id);
    }
    for (const id of present) expect(accounts.has(id)).toBe(true);
    expect(clock.timers).toBe(0);
  },
);

function raise(): never {
  throw new Error('impossible');
}
