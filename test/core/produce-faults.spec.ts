import { DelayQueueError, type PutOutcome } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { instance, watched } from './support/instance.js';
import { ManualClock, turns } from './support/manual-clock.js';
import type { Tap } from './support/tapped-engine.js';

const TOPIC = 'order:timeout';
const never = new Promise<never>(() => undefined);

/** Interferes with the calls of one method only. */
const on =
  (method: string, act: Tap): Tap =>
  (call, next) =>
    call.method === method ? act(call, next) : next();

const away: Tap = () => Promise.reject(new DelayQueueError('UNAVAILABLE', 'the store is away'));

/** Carries the call out and loses the answer. */
const lose: Tap = async (_call, next) => {
  await next();
  throw new DelayQueueError('TIMEOUT', 'no answer', { mayBeStored: true });
};

/** `act` for the first call, then all is well. */
const once = (act: Tap): Tap => {
  let done = false;
  return (call, next) => {
    if (done) return next();
    done = true;
    return act(call, next);
  };
};

describe('a send settles within its timeout', () => {
  it('when the engine never answers: TIMEOUT, may be stored', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = on('put', () => never);
    const sent = watched(queue.send(TOPIC, 1, '1h'));
    const brief = watched(queue.send(TOPIC, 1, '1h', { timeout: '100ms' }));
    await clock.tick(99);
    expect(brief.state).toBe('pending');
    await clock.tick(1);
    expect(brief.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    await clock.tick(4_899);
    expect(sent.state).toBe('pending');
    await clock.tick(1);
    expect(sent.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });

  it('when the registry never answers: TIMEOUT, not stored', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    engine.tap = on('topology', () => never);
    const sent = watched(queue.send(TOPIC, 1, '1h'));
    await clock.tick(5_000);
    expect(sent.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: false });
  });

  it.each(['UNAVAILABLE', 'OUT_OF_MEMORY', 'READ_ONLY'] as const)(
    'when every try fails with %s: that code, after many tries, with the cause',
    async (code) => {
      const clock = new ManualClock();
      const { queue, engine } = await instance({ clock });
      await queue.send(TOPIC, 0, '1h', { id: 'x' });
      engine.calls.length = 0;
      engine.tap = on('put', () => Promise.reject(new DelayQueueError(code, 'why')));
      const sent = watched(queue.send(TOPIC, 1, '1h', { id: 'x' }));
      await clock.tick(5_000);
      expect(sent.error).toMatchObject({ code, mayBeStored: false, cause: { message: 'why' } });
      expect(engine.puts.length).toBeGreaterThan(5);
      expect(engine.puts.length).toBeLessThan(40);
      engine.calls.length = 0;
      engine.tap = (_call, next) => next();
      await clock.tick(60_000);
      expect(engine.puts).toEqual([]); // what was rejected is not delivered later
      expect(clock.timers).toBe(0);
    },
  );

  it('when it waits for room all the time', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock, producer: { maxPending: 1, timeout: '2s' } });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = on('put', () => never);
    const first = watched(queue.send(TOPIC, 1, '1h', { timeout: '10s' }));
    const waiting = watched(queue.send(TOPIC, 2, '1h'));
    await clock.tick(2_000);
    expect(waiting.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: false });
    expect(first.state).toBe('pending');
  });

  it('when its id is held by an older put that never answers', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = on('put', () => never);
    const first = watched(queue.send(TOPIC, 1, '1h', { id: 'x' }));
    const second = watched(queue.send(TOPIC, 2, '1h', { id: 'x', onDuplicate: 'replace' }));
    await clock.tick(5_000);
    expect(first.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    expect(second.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: false });
    engine.tap = (_call, next) => next();
    const third = watched(queue.send(TOPIC, 3, '1h', { id: 'x', timeout: '1m' }));
    await clock.tick(24_000);
    expect(third.state).toBe('pending'); // the old put could still be carried out and overwrite it
    await clock.tick(1_050);
    expect(third.value).toEqual({ id: 'x', outcome: 'stored' }); // silent for 30 s: lost
  });

  it('and works again when the store is back in time, at most half a second later', async () => {
    const clock = new ManualClock();
    const { queue, engine, log } = await instance({ clock });
    engine.tap = away;
    const sends = Array.from({ length: 50 }, (_, i) => watched(queue.send(TOPIC, i, '1h')));
    await clock.tick(3_000);
    engine.tap = (_call, next) => next();
    await clock.tick(500);
    expect(sends.every(({ state }) => state === 'done')).toBe(true);
    expect(log.of('error').map(({ text }) => text)).toEqual([expect.stringContaining('the store is away')]);
    await clock.tick(10_000);
    expect(log.of('log').map(({ text }) => text)).toEqual([expect.stringContaining('works again')]);
  });

  it('refuses at once when the store is full', async () => {
    const { queue } = await instance({}, { maxMessages: 1 });
    await queue.send(TOPIC, 1, '1h');
    await expect(queue.send(TOPIC, 2, '1h')).rejects.toMatchObject({
      code: 'STORE_FULL',
      mayBeStored: false,
    });
  });
});

describe('a lost answer', () => {
  it('of a generated id: the duplicate is itself, so it is stored, once', async () => {
    const { queue, engine } = await instance();
    engine.tap = on('put', once(lose));
    const result = await queue.send(TOPIC, 1, '1h', { onDuplicate: 'replace' });
    expect(result.outcome).toBe('stored');
    expect(engine.puts.map(({ messages }) => messages[0]?.onDuplicate)).toEqual(['keep', 'keep']);
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(1);
  });

  it('of a given id: reported as a duplicate, with reject as one that may be its own', async () => {
    const { queue, engine } = await instance();
    engine.tap = on('put', once(lose));
    expect(await queue.send(TOPIC, 1, '1h', { id: 'x' })).toEqual({
      id: 'x',
      outcome: 'duplicate',
      state: 'waiting',
    });
    engine.tap = on('put', once(lose));
    await expect(queue.send(TOPIC, 1, '1h', { id: 'y', onDuplicate: 'reject' })).rejects.toMatchObject({
      code: 'DUPLICATE',
      mayBeStored: true,
    });
  });

  it('followed by known failures only: TIMEOUT, may be stored', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    let tries = 0;
    engine.tap = on('put', (call, next) => (++tries === 1 ? lose(call, next) : away(call, next)));
    const sent = watched(queue.send(TOPIC, 1, '1h'));
    await clock.tick(5_000);
    expect(sent.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });

  it('of a cancel: an unknown id afterwards rejects, another outcome counts', async () => {
    const { queue, engine } = await instance();
    await queue.sendMany(
      TOPIC,
      ['x', 'y'].map((id) => ({ id, content: id, delay: '1h' })),
    );
    engine.tap = on('cancel', once(lose));
    await expect(queue.cancel(TOPIC, 'x')).rejects.toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    engine.tap = on(
      'cancel',
      once(() => Promise.reject(new DelayQueueError('TIMEOUT', 'lost', { mayBeStored: true }))),
    );
    expect(await queue.cancel(TOPIC, 'y')).toBe('cancelled');
    engine.tap = on('cancel', once(away));
    expect(await queue.cancel(TOPIC, 'y')).toBe('unknown');
  });

  it('of a reschedule or a find is repeated', async () => {
    const { queue, engine } = await instance();
    await queue.send(TOPIC, 'x', '1h', { id: 'x' });
    engine.tap = on('reschedule', once(lose));
    expect(await queue.reschedule(TOPIC, 'x', '2h')).toBe('rescheduled');
    engine.tap = on('reschedule', once(lose));
    await expect(queue.reschedule(TOPIC, 'nobody', '2h')).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

it('what was carried out but is not yet safe rejects as it is, and is not repeated', async () => {
  const { queue, engine, log } = await instance();
  await queue.send(TOPIC, 0, '1h');
  const calls: string[] = [];
  const refusal = new DelayQueueError('NOT_DURABLE', 'stored, but not yet safe', { mayBeStored: true });
  engine.tap = async (call, next) => {
    calls.push(call.method);
    await next();
    throw refusal;
  };
  const sends = ['a', 'b', 'c'].map((id) =>
    queue.send(TOPIC, id, '1h', { id }).catch((error: unknown) => error),
  );
  for (const send of sends) expect(await send).toMatchObject({ code: 'NOT_DURABLE', mayBeStored: true });
  await expect(queue.cancel(TOPIC, 'a')).rejects.toMatchObject({ code: 'NOT_DURABLE', mayBeStored: true });
  expect(calls.filter((method) => method === 'cancel')).toHaveLength(1);
  expect(calls.filter((method) => method === 'put').length).toBeLessThanOrEqual(3);
  engine.tap = (_call, next) => next();
  const cancelled = await queue.cancelMany(TOPIC, ['a', 'b', 'c']);
  expect(cancelled.map(({ outcome }) => outcome)).toEqual(['unknown', 'cancelled', 'cancelled']);
  expect(log.lines).toEqual([]);
});

describe('a failed batch', () => {
  const poisonous = (make: () => Error): Tap =>
    on('put', ({ args }, next) =>
      JSON.stringify(args[1]).includes('poison') ? Promise.reject(make()) : next(),
    );

  it.each([
    [
      'a typed error',
      () => new DelayQueueError('INVALID_CONTENT', 'cannot be kept'),
      'INVALID_CONTENT',
      false,
    ],
    ['an unexpected error', () => new TypeError('broken'), 'TIMEOUT', true],
  ])('with %s blames only the message at fault', async (_what, make, code, mayBeStored) => {
    const { queue, engine } = await instance({ regions: 1 });
    engine.tap = poisonous(make);
    const contents = Array.from({ length: 40 }, (_, i) => (i === 17 ? 'poison' : `fine ${i}`));
    const results = await queue.sendMany(
      TOPIC,
      contents.map((content) => ({ content, delay: '1h' })),
    );
    results.forEach((result, i) => {
      if (i === 17) expect(result).toMatchObject({ outcome: 'failed', error: { code, mayBeStored } });
      else expect(result.outcome).toBe('stored');
    });
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(39);
  });

  it('survives engines that throw, or answer with too few outcomes', async () => {
    const { queue, engine } = await instance({ regions: 1 });
    engine.tap = on(
      'put',
      once(() => {
        throw new DelayQueueError('UNAVAILABLE', 'thrown');
      }),
    );
    expect((await queue.send(TOPIC, 1, '1h')).outcome).toBe('stored');
    engine.tap = on(
      'put',
      once(() => Promise.resolve([] satisfies PutOutcome[])),
    );
    await expect(queue.send(TOPIC, 1, '1h')).rejects.toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });
});

describe('puts of one id', () => {
  it('leave one after the other, and no batch holds an id twice', async () => {
    const { queue, engine } = await instance({ regions: 1 });
    await queue.send(TOPIC, 0, '1h');
    engine.calls.length = 0;
    const sends = [1, 2, 3].map((n) => queue.send(TOPIC, n, '1h', { id: 'x', onDuplicate: 'replace' }));
    expect((await Promise.all(sends)).map(({ outcome }) => outcome)).toEqual([
      'stored',
      'replaced',
      'replaced',
    ]);
    expect(engine.puts.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ['1'],
      ['2'],
      ['3'],
    ]);
  });

  it('so a repeated older replace never overwrites a newer one', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    await queue.send(TOPIC, 0, '1h', { id: 'x' });
    engine.tap = on('put', once(lose));
    const older = watched(queue.send(TOPIC, 'older', '1h', { id: 'x', onDuplicate: 'replace' }));
    await turns(3);
    const newer = watched(queue.send(TOPIC, 'newer', '1h', { id: 'x', onDuplicate: 'replace' }));
    await clock.tick(100);
    expect([older.state, newer.state]).toEqual(['done', 'done']);
    expect((await queue.find(TOPIC, 'x'))?.content).toBe('newer');
  });

  it('go on when those before them time out', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    await queue.send(TOPIC, 0, '1h');
    const open: (() => void)[] = [];
    engine.tap = on('put', async (_call, next) => {
      await new Promise<void>((resolve) => open.push(resolve));
      return next();
    });
    const sends = [1, 2, 3, 4].map((n) =>
      watched(queue.send(TOPIC, n, '1h', { id: 'x', onDuplicate: 'replace', timeout: n < 4 ? '1s' : '20s' })),
    );
    await clock.tick(1_000);
    expect(sends.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'pending']);
    expect(open.length).toBe(1);
    open[0]?.();
    await turns();
    open[1]?.();
    await turns();
    expect(sends[3]?.value).toEqual({ id: 'x', outcome: 'replaced' });
    expect((await queue.find(TOPIC, 'x'))?.content).toBe(4);
  });
});

describe('maxPending', () => {
  it('rejects the next send, over all topics, and has room again when one settles', async () => {
    const { queue, engine } = await instance({ producer: { maxPending: 2, overflow: 'reject' } });
    await queue.send('a', 0, '1h');
    await queue.send('b', 0, '1h');
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    engine.tap = on('put', async (_call, next) => {
      await gate;
      return next();
    });
    const sends = [queue.send('a', 1, '1h'), queue.send('b', 1, '1h')];
    await expect(queue.send('a', 2, '1h')).rejects.toMatchObject({ code: 'OVERFLOW', mayBeStored: false });
    open();
    await Promise.all(sends);
    expect((await queue.send('a', 3, '1h')).outcome).toBe('stored');
  });

  it('lets the next sends wait in their order', async () => {
    const { queue, engine } = await instance({ regions: 1, producer: { maxPending: 10 } });
    await queue.send(TOPIC, 'first', '1h');
    engine.calls.length = 0;
    const results = await Promise.all(Array.from({ length: 95 }, (_, i) => queue.send(TOPIC, i, '1h')));
    expect(results.every(({ outcome }) => outcome === 'stored')).toBe(true);
    expect(Math.max(...engine.puts.map(({ messages }) => messages.length))).toBe(10);
    const order = engine.puts.flatMap(({ messages }) => messages.map(({ content }) => Number(content)));
    expect(order).toEqual(Array.from({ length: 95 }, (_, i) => i));
  });

  it('survives thousands that give up waiting, and forgets them', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock, producer: { maxPending: 1 } });
    await queue.send(TOPIC, 0, '1h');
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    engine.tap = on('put', async (_call, next) => {
      await gate;
      return next();
    });
    const first = watched(queue.send(TOPIC, 1, '1h', { timeout: '1h' }));
    const waiting = Array.from({ length: 5_000 }, () =>
      watched(queue.send(TOPIC, 2, '1h', { timeout: '1s' })),
    );
    const last = watched(queue.send(TOPIC, 3, '1h', { timeout: '1h' }));
    await clock.tick(1_000);
    expect(waiting.every(({ error }) => (error as DelayQueueError).code === 'TIMEOUT')).toBe(true);
    open();
    await clock.tick(10);
    expect([first.state, last.state]).toEqual(['done', 'done']);
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(3);
  });
});
