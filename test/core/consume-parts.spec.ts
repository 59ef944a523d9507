import { VirtualClock, type Claim, type Verdict } from '@delay-queue/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Alarm } from '../../packages/core/src/consuming/alarm.js';
import { backOffMs } from '../../packages/core/src/back-off.js';
import { claimable, shareOf } from '../../packages/core/src/consuming/claim-share.js';
import { LinkedList, ListItem } from '../../packages/core/src/consuming/linked-list.js';
import { LocalQueue } from '../../packages/core/src/consuming/local-queue.js';
import { Pace } from '../../packages/core/src/consuming/pace.js';
import { clip, reasonText } from '../../packages/core/src/reason-text.js';
import { RegionLook } from '../../packages/core/src/consuming/region-look.js';
import { ReplyLimit } from '../../packages/core/src/consuming/reply-limit.js';
import { takeBatch } from '../../packages/core/src/consuming/verdict-batch.js';

test('a clipped reason is well formed, of at most so many bytes, and a prefix', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 4, max: 40 }),
      (text, most) => {
        const clipped = clip(text, most);
        expect(Buffer.byteLength(clipped)).toBeLessThanOrEqual(most);
        expect(Buffer.from(clipped).toString()).toBe(clipped);
        const clean = Buffer.from(text.replaceAll('\0', '')).toString();
        if (Buffer.byteLength(clean) <= most && text.length <= most) expect(clipped).toBe(clean);
        else expect(clean.startsWith(clipped.slice(0, -1)) || clean.length < text.length).toBe(true);
      },
    ),
  );
});

test('names of errors are part of the reason where they say something', () => {
  expect(reasonText(new TypeError('no'))).toBe('TypeError: no');
  expect(reasonText(new Error('no'))).toBe('no');
  expect(reasonText(undefined)).toBe('undefined was thrown');
  expect(reasonText({ code: 7 })).toBe('{"code":7} was thrown');
});

test('the local queue is first in, first out, under any mix of calls', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat(99), fc.constant('take' as const), fc.constant('odd' as const)), {
        maxLength: 300,
      }),
      (calls) => {
        const queue = new LocalQueue<{ n: number }>();
        let model: number[] = [];
        for (const call of calls) {
          if (call === 'take') expect(queue.shift()?.n).toBe(model.shift());
          else if (call === 'odd') {
            expect(queue.takeWhere(({ n }) => n % 2 === 1).map(({ n }) => n)).toEqual(
              model.filter((n) => n % 2 === 1),
            );
            model = model.filter((n) => n % 2 === 0);
          } else {
            queue.push({ n: call });
            model.push(call);
          }
          expect(queue.length).toBe(model.length);
          expect(queue.peek()?.n).toBe(model[0]);
        }
      },
    ),
  );
});

test('a long local queue gives back its memory as it is emptied, in order', () => {
  const queue = new LocalQueue<{ n: number }>();
  for (let n = 0; n < 5_000; n++) queue.push({ n });
  for (let n = 0; n < 5_000; n++) expect(queue.shift()?.n).toBe(n);
  expect(queue.shift()).toBeUndefined();
});

test('a batch holds at most 1,000 verdicts and 200 that are not done, and loses none', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 400 })), { maxLength: 12 }),
      (runs) => {
        const verdicts = runs.flatMap(([done, count], r) =>
          Array.from({ length: count }, (_, i): Verdict => {
            const id = `${r}-${i}`;
            return done ? { id, verdict: 'done' } : { id, verdict: 'release', started: false };
          }),
        );
        const pending = [...verdicts];
        const sent: Verdict[] = [];
        while (pending.length > 0) {
          const batch = takeBatch(pending);
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(1_000);
          expect(batch.filter(({ verdict }) => verdict !== 'done').length).toBeLessThanOrEqual(200);
          sent.push(...batch);
        }
        expect(sent).toEqual(verdicts);
      },
    ),
    { numRuns: 30 },
  );
});

test('claims never ask for more than fits, and always for something when a slot is idle and little is on its way', () => {
  const load = fc.record({
    concurrency: fc.integer({ min: 1, max: 300 }),
    room: fc.nat(300),
    held: fc.nat(600),
    asked: fc.nat(600),
  });
  fc.assert(
    fc.property(
      load,
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
      (given, regions, brisk) => {
        let free = claimable(given);
        const capacity = given.concurrency + given.room;
        expect(free).toBeLessThanOrEqual(Math.max(0, capacity - given.held - given.asked));
        const idle = given.held + given.asked < given.concurrency;
        if (idle && (capacity < 256 || given.asked * 2 < capacity)) expect(free).toBeGreaterThan(0);
        for (let i = 0; i < regions && free > 0; i++) {
          const share = Math.min(free, shareOf(free, regions - i, brisk[i] ?? false));
          expect(share).toBeGreaterThan(0);
          free -= share;
        }
        expect(free).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});

test('fast handlers fill the queue, slow ones get nothing ahead', () => {
  const pace = new Pace();
  expect(pace.room(16, 64)).toBe(0);
  pace.observe(0.01);
  expect(pace.room(16, 64)).toBe(64);
  for (let i = 0; i < 100; i++) pace.observe(50);
  expect(pace.room(16, 64)).toBe(32);
  for (let i = 0; i < 100; i++) pace.observe(30_000);
  expect(pace.room(16, 64)).toBe(0);
  pace.forget();
  expect(pace.room(16, 64)).toBe(0);
});

test('back-off grows to its cap, is never 0, and never jumps over it', () => {
  for (let failures = 1; failures < 3_000; failures++) {
    const wait = backOffMs(failures, 100, 2_000);
    expect(wait).toBeGreaterThanOrEqual(50);
    expect(wait).toBeLessThanOrEqual(2_000);
  }
  expect(backOffMs(1, 100, 2_000, () => 1)).toBe(100);
  expect(backOffMs(4, 100, 2_000, () => 0)).toBe(400);
});

const EMPTY: Claim = { messages: [], unreadable: [], now: 1_000, paused: false, recovered: 0, dead: [] };

test('claims that come back empty although something should be due back off 2, 4 … 32 ms', () => {
  const look = new RegionLook(0);
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    look.asked();
    look.answered({ ...EMPTY, lookAt: 900 }, 8, 5_000);
    waits.push(look.notBefore - 5_000);
    expect(look.dueAt(look.notBefore - 1)).toBe(false);
    expect(look.dueAt(look.notBefore)).toBe(true);
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 32, 32]);
  look.asked();
  look.answered({ ...EMPTY, lookAt: 1_700 }, 8, 5_000);
  expect(look.dueAt(5_699)).toBe(false);
  expect(look.dueAt(5_700)).toBe(true);
});

test('a hint that arrives while a claim is under way is not forgotten', () => {
  const look = new RegionLook(0);
  look.asked();
  look.hint(5_040);
  look.answered({ ...EMPTY, lookAt: 9_000 }, 8, 5_000);
  expect(look.at).toBe(5_040);
});

test('an alarm that rings early is set again, one beyond 2^31 ms too, and one that is moved rings once', () => {
  const timers: { fire: () => void; ms: number; cancelled: boolean }[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    monotonic: () => now,
    setTimer: (fire: () => void, ms: number) => {
      const timer = { fire, ms, cancelled: false };
      timers.push(timer);
      return { cancel: () => void (timer.cancelled = true) };
    },
  };
  let rings = 0;
  const alarm = new Alarm(clock, () => rings++);
  alarm.set(100);
  now = 99.4;
  timers[0]?.fire();
  expect([rings, timers[1]?.ms]).toEqual([0, 1]);
  now = 100;
  timers[1]?.fire();
  expect(rings).toBe(1);

  alarm.set(2 ** 32);
  alarm.setNoLaterThan(2 ** 33);
  expect(timers).toHaveLength(3);
  alarm.setNoLaterThan(500);
  expect(timers[2]?.cancelled).toBe(true);
  alarm.set(Infinity);
  expect(timers[3]?.cancelled).toBe(true);
  expect(new VirtualClock(0).monotonic()).toBe(0);
});

test('a claim that found all it asked for is followed by another at once, whatever the store says of later', () => {
  const look = new RegionLook(0);
  const message = { id: 'a', dueAt: 0, sentAt: 0, content: '', deliveries: 0, failures: 0, crashes: 0 };
  look.asked();
  look.answered({ ...EMPTY, messages: [message, message], lookAt: 9_000 }, 2, 5_000);
  expect([look.brisk, look.dueAt(5_000)]).toEqual([true, true]);
  look.asked();
  look.answered({ ...EMPTY, messages: [message], lookAt: 9_000 }, 2, 5_000);
  expect([look.brisk, look.dueAt(5_000), look.at]).toEqual([false, false, 13_000]);
});

test('while all slots are taken nothing is claimed for a few places in the queue; large claims are shared and halved', () => {
  expect(claimable({ concurrency: 16, room: 64, held: 41, asked: 0 })).toBe(0);
  expect(claimable({ concurrency: 16, room: 64, held: 40, asked: 0 })).toBe(40);
  expect(claimable({ concurrency: 16, room: 64, held: 20, asked: 40 })).toBe(0);
  expect(claimable({ concurrency: 16, room: 0, held: 15, asked: 0 })).toBe(1);
  expect(claimable({ concurrency: 256, room: 256, held: 0, asked: 0 })).toBe(256);
  expect(claimable({ concurrency: 256, room: 256, held: 0, asked: 256 })).toBe(0);
  expect(claimable({ concurrency: 256, room: 256, held: 256, asked: 0 })).toBe(256);
  expect([shareOf(80, 5, true), shareOf(80, 1, true), shareOf(512, 5, true), shareOf(80, 5, false)]).toEqual([
    40, 80, 256, 8,
  ]);
  expect(shareOf(20_000, 1, true)).toBe(500);
});

test('a linked list keeps order, and what has left it is linked to nothing', () => {
  class Item extends ListItem<Item> {
    constructor(readonly name: number) {
      super();
    }
  }
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 60 }), (names) => {
      const items = Array.from({ length: 10 }, (_, name) => new Item(name));
      const list = new LinkedList<Item>();
      let model: number[] = [];
      for (const name of names) {
        const item = items[name] as Item;
        if (list.has(item)) {
          list.delete(item);
          list.delete(item);
          model = model.filter((other) => other !== name);
        } else {
          list.add(item);
          model.push(name);
        }
        expect(list.toArray().map((each) => each.name)).toEqual(model);
        expect([list.size, list.first?.name]).toEqual([model.length, model[0]]);
        for (const other of items) {
          if (!list.has(other))
            expect([other.list, other.previous, other.next]).toEqual(Array(3).fill(undefined));
        }
      }
    }),
  );
});

test('a limit for answers does not count the time in which the process stood still', async () => {
  const limit = new ReplyLimit(200);
  const answers = limit.within(new Promise((resolve) => setTimeout(resolve, 300, 'heard')));
  const silent = limit.within(new Promise(() => undefined));
  const begun = performance.now();
  while (performance.now() - begun < 600);
  await expect(answers).resolves.toBe('heard');
  await expect(silent).rejects.toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
});
