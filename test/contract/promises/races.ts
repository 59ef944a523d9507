import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClaimedMessage, Claim } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { LEASE_MS, message, type RegionDriver } from '../support/region-driver.js';
import { scaled } from '../support/scale.js';
import type { MakeStore } from '../support/test-store.js';
import { useStore } from '../support/use-store.js';

/** How many messages of one round two workers fight over. */
const AT_ONCE = 10;
const ROUNDS = scaled(300);

/** Two workers, truly at once, on the same messages: each message has exactly one fate. */
export function describeRaces(make: MakeStore): void {
  describe('races', () => {
    const use = useStore(make);

    /**
     * Rounds of: put ten due messages, then let one worker claim in small bites while the other calls `rival`
     * for each id, in an order of starting that changes from round to round.
     */
    const fight = async <T>(
      rival: (worker: RegionDriver, id: string) => Promise<T>,
      check: (id: string, claimed: readonly ClaimedMessage[], answer: T) => void,
    ) => {
      const [claimer, other] = [await use.driver(), await use.driver()];
      const tally = { claimed: 0, rival: 0 };
      for (let round = 0; round < ROUNDS; round++) {
        const ids = Array.from({ length: AT_ONCE }, (_, i) => `${round}/${i}`);
        await claimer.putAll(ids.map((id) => message(id, 0, { content: '"old"' })));
        const claims: Promise<Claim>[] = [];
        const answers: Promise<readonly [string, T]>[] = [];
        for (const [i, id] of ids.entries()) {
          const call = () => answers.push(rival(other, id).then((answer) => [id, answer] as const));
          const claim = () => claims.push(claimer.claim(1 + ((round + i) % 2)));
          const [first, second] = (round + (i >> 1)) % 2 ? [call, claim] : [claim, call];
          first();
          if (round % 3 === 0) await nextTurn();
          second();
        }
        const found = await Promise.all(claims);
        const fates = await Promise.all(answers);
        const taken = found.flatMap(({ messages }) => messages);
        for (const [id, answer] of fates) {
          const own = taken.filter((each) => each.id === id);
          tally[own.length > 0 ? 'claimed' : 'rival'] += 1;
          check(id, own, answer);
        }
        for (const { lease, messages } of found) {
          if (lease === undefined) continue;
          expect((await claimer.done(lease, ...messages.map(({ id }) => id))).stale).toEqual([]);
        }
        await drain(other);
      }
      const { ids, leases } = await use.region();
      expect([ids.size, leases.size]).toEqual([0, 0]);
      // Without both fates it was no race.
      expect(Math.min(tally.claimed, tally.rival), JSON.stringify(tally)).toBeGreaterThan(0);
    };

    it('cancelled means it never runs; running means it does', async () => {
      await fight(
        (worker, id) => worker.cancel(id),
        (id, claimed, answer) => {
          expect([id, answer]).toEqual([id, claimed.length === 1 ? 'running' : 'cancelled']);
        },
      );
    });

    it('rescheduled means it runs later; running means it does now', async () => {
      await fight(
        (worker, id) => worker.reschedule(id, 5),
        (id, claimed, answer) => {
          expect([id, answer]).toEqual([id, claimed.length === 1 ? 'running' : 'rescheduled']);
        },
      );
    });

    it('replaced means the old one never runs; queued means it does, once', async () => {
      await fight(
        async (worker, id) => worker.put(id, 5, { content: '"new"', onDuplicate: 'replace' }),
        (id, claimed, answer) => {
          expect([id, answer]).toEqual([id, { outcome: claimed.length === 1 ? 'queued' : 'replaced' }]);
          expect(claimed.every(({ content }) => content === '"old"')).toBe(true);
        },
      );
    });

    it('two claimers share without overlap', async () => {
      const workers = [await use.driver(), await use.driver()];
      const all = scaled(4_000);
      const sent: string[] = [];
      for (let from = 0; from < all; from += 500) {
        const part = Array.from({ length: Math.min(500, all - from) }, (_, i) => `m${from + i}`);
        await workers[0]?.putAll(part.map((id) => message(id)));
        sent.push(...part);
      }
      const got: string[] = [];
      await Promise.all(
        workers.map(async (worker) => {
          for (;;) {
            const { lease, messages } = await worker.claim(7);
            if (lease === undefined) return;
            got.push(...messages.map(({ id }) => id));
            await worker.done(lease, ...messages.map(({ id }) => id));
          }
        }),
      );
      expect(got.sort()).toEqual(sent.sort());
    });

    it('a lease is either renewed or recovered, and its settle counts accordingly', async () => {
      const [owner, rival] = await use.pair();
      const seen = new Set<string>();
      for (let round = 0; round < ROUNDS; round++) {
        const id = `m${round}`;
        await owner.put(id);
        const { lease } = await owner.takeOne();
        use.clock.advance(LEASE_MS + 1);
        const calls = [() => owner.renew([lease], 10 * LEASE_MS), () => rival.claim(5)] as const;
        const [lost, claim] =
          round % 2
            ? await Promise.all([calls[0](), calls[1]()])
            : await Promise.all([calls[1](), calls[0]()]).then(([c, l]) => [l, c] as const);
        const { stale } = await owner.done(lease, id);
        seen.add(lost.length > 0 ? 'lost' : 'kept');
        expect(stale).toEqual(lost.length > 0 ? [id] : []);
        expect(claim.recovered).toBe(lost.length);
        if (lost.length > 0) {
          const again = claim.lease === undefined ? await rival.take() : { ...claim, lease: claim.lease };
          expect(again.messages.map((each) => [each.id, each.crashes])).toEqual([[id, 1]]);
          await rival.done(again.lease, id);
        }
      }
      const { ids, leases } = await use.region();
      expect([ids.size, leases.size, seen.size > 0]).toEqual([0, 0, true]);
    });

    it('a settle that races a recovery is either counted or stale', async () => {
      const [owner, rival] = await use.pair();
      for (let round = 0; round < ROUNDS; round++) {
        const id = `m${round}`;
        await owner.put(id);
        const { lease } = await owner.takeOne();
        use.clock.advance(LEASE_MS + 1);
        const [settled, claim] =
          round % 2
            ? await Promise.all([owner.done(lease, id), rival.claim()])
            : await Promise.all([rival.claim(), owner.done(lease, id)]).then(([c, s]) => [s, c] as const);
        expect(claim.recovered).toBe(settled.stale.length);
        if (settled.stale.length > 0) {
          const again = claim.lease === undefined ? await rival.take() : { ...claim, lease: claim.lease };
          await rival.done(again.lease, ...again.messages.map((each) => each.id));
        }
      }
      expect((await use.region()).ids.size).toBe(0);
    });

    it('many puts of one id store one message', async () => {
      const workers = [await use.driver(), await use.driver(), await use.driver()];
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(
          workers.map((worker, i) => worker.put('a', 5, { content: `${i}` })),
        );
        const outcomes = answers.map((answer) => (answer === 'moved' ? answer : answer.outcome));
        expect(outcomes.sort()).toEqual(['duplicate', 'duplicate', 'stored']);
        const cancels = await Promise.all(workers.map((worker) => worker.cancel('a')));
        expect(cancels.sort()).toEqual(['cancelled', 'unknown', 'unknown']);
      }
    });
  });
}

/** Cancels whatever waits, so that the next round starts from nothing. */
async function drain(worker: RegionDriver): Promise<void> {
  const { inspector } = worker.engine;
  if (inspector === undefined) throw new Error('this engine has no inspector');
  for (;;) {
    const { messages } = await inspector.page(worker.region, 'waiting', 0, 100);
    if (messages.length === 0) return;
    for (const { id } of messages) await worker.cancel(id);
  }
}
