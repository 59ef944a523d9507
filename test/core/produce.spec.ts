import { DelayQueueError } from '@delay-queue/core';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { instance, watched } from './support/instance.js';
import { ManualClock, turns } from './support/manual-clock.js';

const TOPIC = 'order:timeout';

describe('send', () => {
  it('stores, and tells of what was there', async () => {
    const { queue } = await instance();
    expect(await queue.send(TOPIC, { no: 1 }, '30m', { id: 'A-1' })).toEqual({
      id: 'A-1',
      outcome: 'stored',
    });
    expect(await queue.send(TOPIC, { no: 2 }, '30m', { id: 'A-1' })).toEqual({
      id: 'A-1',
      outcome: 'duplicate',
      state: 'waiting',
    });
    expect(await queue.send(TOPIC, { no: 3 }, '1h', { id: 'A-1', onDuplicate: 'replace' })).toEqual({
      id: 'A-1',
      outcome: 'replaced',
    });
    expect((await queue.find(TOPIC, 'A-1'))?.content).toEqual({ no: 3 });
    await expect(queue.send(TOPIC, 1, 0, { id: 'A-1', onDuplicate: 'reject' })).rejects.toMatchObject({
      code: 'DUPLICATE',
      state: 'waiting',
      mayBeStored: false,
    });
  });

  it('generates ids of 14 characters, or takes those of a generator, and checks them', async () => {
    const { queue } = await instance();
    const { id } = await queue.send(TOPIC, 1, '1h');
    expect(id).toMatch(/^[\w-]{14}$/);
    let next = 0;
    const own = await instance({ idGenerator: () => `n${next++}` });
    expect((await own.queue.send(TOPIC, 1, '1h')).id).toBe('n0');
    for (const bad of ['', 7, undefined, 'a\nb', Promise.resolve('x')]) {
      const broken = await instance({ idGenerator: () => bad as string });
      await expect(broken.queue.send(TOPIC, 1, 1)).rejects.toMatchObject({ code: 'INVALID_ID' });
      expect(broken.engine.puts).toEqual([]);
    }
  });

  it('keeps topics apart, also where topic and id read the same together', async () => {
    const { queue } = await instance();
    await queue.send('a:b', 1, '1h', { id: 'c' });
    await queue.send('a', 2, '1h', { id: 'b:c' });
    await queue.send('b', 3, '1h', { id: 'c' });
    expect(await queue.cancel('b', 'c')).toBe('cancelled');
    expect((await queue.find('a:b', 'c'))?.content).toBe(1);
    expect((await queue.find('a', 'b:c'))?.content).toBe(2);
  });

  it('works for topics and ids that are names of Object.prototype', async () => {
    const { queue } = await instance();
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(await queue.send(name, name, '1h', { id: name })).toEqual({ id: name, outcome: 'stored' });
      expect((await queue.find(name, name))?.content).toBe(name);
      expect(await queue.cancel(name, name)).toBe('cancelled');
    }
  });

  it('refuses bad input before anything is written, also unknown options', async () => {
    const { queue, engine } = await instance({ limits: { maxDelay: '1d', maxContentBytes: 10 } });
    const refused = async (code: string, send: () => Promise<unknown>): Promise<void> => {
      const error: unknown = await send().then(
        () => 'accepted',
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DelayQueueError);
      expect(error).toMatchObject({ code, mayBeStored: false });
    };
    for (const topic of ['', ' ', 'a b', 'a/b', 'ä', 'x'.repeat(129), undefined, 5]) {
      await refused('INVALID_TOPIC', () => queue.send(topic as string, 1, 1));
      await refused('INVALID_TOPIC', () => queue.cancel(topic as string, 'x'));
    }
    const delays = [
      -1,
      NaN,
      Infinity,
      '5',
      '5M',
      '-5m',
      '1e3',
      '',
      ' 5s ',
      null,
      undefined,
      true,
      5n,
      [5],
      {},
    ];
    for (const delay of [...delays, new Date(), () => 1, Symbol('s'), -Number.MAX_SAFE_INTEGER]) {
      await refused('INVALID_DELAY', () => queue.send(TOPIC, 1, delay as number));
      await refused('INVALID_DELAY', () => queue.reschedule(TOPIC, 'x', delay as number));
    }
    for (const delay of [86_400_001, '25h', 2 ** 53, 8.64e15, 1e18]) {
      await refused('DELAY_TOO_LONG', () => queue.send(TOPIC, 1, delay));
    }
    for (const at of [
      new Date(NaN),
      Math.floor(Date.now() / 1000),
      NaN,
      Infinity,
      '2030-01-01',
      undefined,
      null,
      {},
    ]) {
      await refused('INVALID_DELAY', () => queue.sendAt(TOPIC, 1, at as number));
    }
    await refused('DELAY_TOO_LONG', () => queue.sendAt(TOPIC, 1, Date.now() + 90_000_000));
    for (const id of [
      '',
      'a\nb',
      '\0',
      '\u007f',
      '\u0085',
      '\ud800',
      'x'.repeat(257),
      'é'.repeat(129),
      7,
      1n,
      null,
    ]) {
      await refused('INVALID_ID', () => queue.send(TOPIC, 1, 1, { id: id as string }));
      await refused('INVALID_ID', () => queue.cancel(TOPIC, id as string));
    }
    await refused('CONTENT_TOO_LARGE', () => queue.send(TOPIC, 'x'.repeat(9), 1));
    await refused('INVALID_CONTENT', () => queue.send(TOPIC, undefined, 1));
    await refused('INVALID_OPTION', () => queue.send(TOPIC, 1, 1, { onDuplicate: 'drop' as 'keep' }));
    await refused('INVALID_OPTION', () => queue.send(TOPIC, 1, 1, { timeout: 0 }));
    await refused('INVALID_OPTION', () => queue.send(TOPIC, 1, 1, null as unknown as object));
    await expect(queue.send(TOPIC, 1, 1, { onDuplicates: 'keep' } as object)).rejects.toThrow(
      /options\.onDuplicates is no option \(did you mean 'onDuplicate'\?\)/,
    );
    expect(engine.calls.filter(({ method }) => method !== 'open')).toEqual([]);
  });

  it('takes odd but allowed ids and topics', async () => {
    const { queue } = await instance();
    const ids = [
      'a:b',
      ':',
      '{x}',
      '}{',
      '*',
      '?',
      '[a]',
      ' ',
      'é',
      'e\u0301',
      '😀',
      '00123',
      '1e3',
      '-1',
      '\u202e',
    ];
    for (const id of [...ids, 'x'.repeat(256), 'é'.repeat(128)]) {
      expect(await queue.send(TOPIC, id, '1h', { id })).toEqual({ id, outcome: 'stored' });
      expect((await queue.find(TOPIC, id))?.content).toBe(id);
    }
  });

  it('sends at a moment, in the past at once, whatever the time zone', async () => {
    const { queue, engine } = await instance();
    const at = Date.now() + 3_600_000;
    await queue.sendAt(TOPIC, 1, new Date(at), { id: 'later' });
    await queue.sendAt(TOPIC, 1, -5, { id: 'past' });
    await queue.sendAt(TOPIC, 1, at + 0.2, { id: 'fraction' });
    expect((await queue.find(TOPIC, 'later'))?.dueAt).toBe(at);
    const due = engine.puts.flatMap(({ messages }) => messages.map((message) => message.due));
    expect(due).toEqual([{ at }, { at: 0 }, { at: at + 1 }]);
  });

  it('takes the time a message waited here from its delay', async () => {
    const clock = new ManualClock();
    const { queue, engine } = await instance({ clock });
    engine.tap = (call, next) =>
      call.method === 'put' ? Promise.reject(new DelayQueueError('UNAVAILABLE', 'away')) : next();
    const sent = watched(queue.send(TOPIC, 1, 3_000, { id: 'x' }));
    const soon = watched(queue.send(TOPIC, 1, 100, { id: 'y' }));
    await clock.tick(1_000.5);
    engine.tap = (_call, next) => next();
    await clock.tick(600);
    expect([sent.state, soon.state]).toEqual(['done', 'done']);
    const at = clock.now() - 1_600;
    const found = await queue.find(TOPIC, 'x');
    expect((found?.dueAt ?? 0) - at).toBeGreaterThanOrEqual(3_000);
    expect((found?.dueAt ?? 0) - at).toBeLessThanOrEqual(3_002);
    const [put] = engine.puts
      .flatMap(({ messages }) => messages)
      .filter(({ id }) => id === 'y')
      .slice(-1);
    expect(put?.due).toEqual({ delayMs: 0 });
  });

  it('keeps what is asked of the engine out of the AsyncLocalStorage of whoever sends', async () => {
    const storage = new AsyncLocalStorage<string>();
    const { queue, engine } = await instance();
    const seen: (string | undefined)[] = [];
    engine.tap = (_call, next) => {
      seen.push(storage.getStore());
      return next();
    };
    await storage.run('request', async () => {
      await queue.send(TOPIC, 1, '1h', { id: 'x' });
      await queue.cancel(TOPIC, 'x');
      await queue.find(TOPIC, 'x');
      expect(storage.getStore()).toBe('request');
    });
    expect(seen.length).toBeGreaterThan(2);
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });
});

describe('batching', () => {
  it('takes one round trip a region for what is sent in one turn, and one for a lone send', async () => {
    const { queue, engine } = await instance({ regions: 1 });
    await queue.send(TOPIC, 0, '1h');
    expect(engine.puts.map(({ messages }) => messages.length)).toEqual([1]);
    await Promise.all(Array.from({ length: 300 }, (_, i) => queue.send(TOPIC, i, '1h')));
    expect(engine.puts.map(({ messages }) => messages.length)).toEqual([1, 300]);
  });

  it('cuts at 500 messages and at 1 MiB, and gathers while a batch is under way', async () => {
    const { queue, engine } = await instance({ regions: 1 });
    await queue.send(TOPIC, 0, '1h');
    engine.calls.length = 0;
    await Promise.all(Array.from({ length: 1_200 }, (_, i) => queue.send(TOPIC, i, '1h')));
    expect(engine.puts.map(({ messages }) => messages.length)).toEqual([500, 500, 200]);
    engine.calls.length = 0;
    const big = 'x'.repeat(60_000);
    let most = 0;
    let now = 0;
    engine.tap = async (_call, next) => {
      most = Math.max(most, ++now);
      await turns(1);
      now--;
      return next();
    };
    await Promise.all(Array.from({ length: 40 }, () => queue.send(TOPIC, big, '1h')));
    expect(engine.puts.map(({ messages }) => messages.length)).toEqual([17, 17, 6]);
    expect(most).toBe(1);
  });

  it('batches cancels the same way, and asks each id once to a call', async () => {
    const { queue, engine } = await instance({ regions: 2 });
    const ids = Array.from({ length: 1_000 }, (_, i) => `m${i}`);
    await queue.sendMany(
      TOPIC,
      ids.map((id) => ({ id, content: id, delay: '1h' })),
    );
    const outcomes = await Promise.all(ids.map((id) => queue.cancel(TOPIC, id)));
    expect(new Set(outcomes)).toEqual(new Set(['cancelled']));
    expect(engine.of('cancel').length).toBeLessThanOrEqual(4);
    await queue.send(TOPIC, 1, '1h', { id: 'twice' });
    const twice = await queue.cancelMany(TOPIC, ['twice', 'twice']);
    expect(twice.map(({ outcome }) => outcome)).toEqual(['cancelled', 'unknown']);
  });

  it('hands a send and the calls after it to the engine in their order', async () => {
    const { queue } = await instance();
    await queue.send(TOPIC, 0, '1h');
    const [sent, cancelled] = await Promise.all([
      queue.send(TOPIC, 1, '1h', { id: 'x' }),
      queue.cancel(TOPIC, 'x'),
    ]);
    expect([sent.outcome, cancelled]).toEqual(['stored', 'cancelled']);
  });

  it('keeps that order while sends gather behind batches under way', async () => {
    const { queue, engine } = await instance({ regions: 1 });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = async (_call, next) => {
      await turns(3);
      return next();
    };
    const busy: Promise<unknown>[] = [];
    for (let i = 0; i < 3; i++) {
      busy.push(queue.send(TOPIC, i, '1h'));
      await turns(1);
    }
    const [sent, cancelled] = await Promise.all([
      queue.send(TOPIC, 1, '1h', { id: 'x' }),
      queue.cancel(TOPIC, 'x'),
      ...busy,
    ]);
    expect([sent.outcome, cancelled]).toEqual(['stored', 'cancelled']);
  });
});
