import { DeadLetter, RetryLater, VirtualClock, type DelayMessage } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Trouble } from '../support/flaky-engine.js';
import { simulated, Worker } from './support/consuming.js';

/** What the handler does with a message, by its content. */
interface Script {
  readonly fails: number;
  readonly later: number;
  readonly end: 'done' | 'dead' | 'sync';
}

type Step =
  | { readonly kind: 'put'; readonly delay: number; readonly script: Script }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'trouble'; readonly worker: 0 | 1; readonly trouble: Trouble | 'mixed' }
  | { readonly kind: 'recover'; readonly worker: 0 | 1 }
  | { readonly kind: 'pause'; readonly paused: boolean };

const script: fc.Arbitrary<Script> = fc.record({
  fails: fc.nat(3),
  later: fc.nat(2),
  end: fc.constantFrom('done', 'done', 'done', 'dead', 'sync'),
});
const worker = fc.constantFrom<0 | 1>(0, 1);
const put: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('put'), delay: fc.nat(90_000), script });
const advance: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('advance'), ms: fc.nat(20_000) });
const faults: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('trouble' as const),
    worker,
    trouble: fc.constantFrom<Trouble | 'mixed'>('away', 'full', 'lose', 'late', 'broken', 'mixed', 'mixed'),
  }),
  fc.record({ kind: fc.constant('recover' as const), worker }),
  fc.record({ kind: fc.constant('pause' as const), paused: fc.boolean() }),
);

/** Plays the steps with two workers on one store, then lets all faults end, and returns every start of a handler. */
async function play(steps: readonly Step[]) {
  const store = new MemoryStore();
  const clock = new VirtualClock(1_000_000);
  const starts = new Map<string, DelayMessage[]>();
  const scripts = new Map<string, Script>();
  const finished = new Map<string, number>();
  const running = new Set<string>();
  const problems: string[] = [];
  const handler = (_: unknown, message: DelayMessage): unknown => {
    const { id } = message;
    if (clock.now() < message.dueAt) problems.push(`${id} early`);
    if (running.has(id)) problems.push(`${id} twice at once`);
    running.add(id);
    starts.set(id, [...(starts.get(id) ?? []), message]);
    const plan = scripts.get(id) ?? { fails: 0, later: 0, end: 'done' };
    const act = () => {
      running.delete(id);
      if (message.attempt <= plan.later) throw new RetryLater(500);
      if (message.failures < plan.fails) throw new Error('fails');
      if (plan.end === 'dead') throw new DeadLetter('by script');
      finished.set(id, (finished.get(id) ?? 0) + 1);
    };
    if (plan.end === 'sync') return act();
    return Promise.resolve().then(act);
  };
  const options = {
    regions: 3,
    consumer: { concurrency: 3, queueSize: 4, lease: '20s' },
    retry: { attempts: 10, crashes: 50, backoff: '3s' },
  } as const;
  const workers = [0, 1].map(() => simulated(handler, { store, clock, options }).worker);
  const boss = new Worker(() => undefined, { store, clock, options });
  let sent = 0;
  let call = 0;
  for (const step of steps) {
    const engine =
      step.kind === 'trouble' || step.kind === 'recover' ? workers[step.worker]?.engine : undefined;
    if (step.kind === 'put') {
      scripts.set(`m${sent}`, step.script);
      await boss.put(`m${sent++}`, step.delay);
    } else if (step.kind === 'advance') await clock.advance(step.ms);
    else if (step.kind === 'pause') await boss.setPaused(step.paused);
    else if (step.kind === 'recover') engine?.recover();
    else if (step.trouble !== 'mixed') engine?.trouble(step.trouble);
    else {
      const mix = ['away', undefined, 'late', 'lose', 'late', undefined, 'full'] as const;
      engine?.trouble(() => mix[call++ % mix.length]);
    }
  }
  for (const { engine } of workers) engine.recover();
  await boss.setPaused(false);
  await clock.advance('1h');
  return { sent, starts, scripts, finished, problems, counts: await boss.counts() };
}

function check({
  sent,
  starts,
  scripts,
  finished,
  problems,
  counts,
}: Awaited<ReturnType<typeof play>>): void {
  expect(problems).toEqual([]);
  const dead = [...scripts.values()].filter(({ end }) => end === 'dead').length;
  expect(counts).toEqual({ waiting: 0, running: 0, dead });
  expect(starts.size).toBe(sent);
  for (const [id, messages] of starts) {
    const attempts = messages.map(({ attempt }) => attempt);
    expect(attempts, id).toEqual([...new Set(attempts)].toSorted((a, b) => a - b));
    if (scripts.get(id)?.end !== 'dead') expect(finished.get(id), id).toBeGreaterThanOrEqual(1);
  }
}

test('random schedules without faults: everything ends as its handler says, in exactly the tries it takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(put, put, advance), { maxLength: 40 }), async (steps) => {
      const played = await play(steps);
      check(played);
      for (const [id, messages] of played.starts) {
        const { fails, later, end } = played.scripts.get(id) ?? { fails: 0, later: 0, end: 'done' };
        expect(messages.map(({ attempt }) => attempt)).toEqual(
          Array.from({ length: later + fails + 1 }, (_, i) => i + 1),
        );
        expect(played.finished.get(id) ?? 0).toBe(end === 'dead' ? 0 : 1);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('random schedules with faults: nothing is lost, early or run twice at once, attempts only grow', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(put, put, advance, faults), { maxLength: 50 }), async (steps) => {
      check(await play(steps));
    }),
    { numRuns: 60 },
  );
}, 120_000);
