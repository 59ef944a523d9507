import type { SendItem } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { instance } from './support/instance.js';

const TOPIC = 'order:timeout';

describe('sendMany', () => {
  it('gives a result for each message, in order, of every shape', async () => {
    const { queue } = await instance();
    await queue.send(TOPIC, 0, '1h', { id: 'there' });
    const results = await queue.sendMany<unknown>(TOPIC, [
      { content: 1, delay: '1h', id: 'a' },
      { content: 2, at: new Date(Date.now() + 1_000) },
      { content: 3, delay: 0, id: 'there' },
      { content: 4, delay: 3_600_000, id: 'there', onDuplicate: 'replace', headers: { k: 'v' } },
      { content: 5, delay: '1h', id: 'there', onDuplicate: 'reject' },
    ]);
    expect(results).toEqual([
      { id: 'a', outcome: 'stored' },
      { id: expect.stringMatching(/^[\w-]{14}$/) as string, outcome: 'stored' },
      { id: 'there', outcome: 'duplicate', state: 'waiting' },
      { id: 'there', outcome: 'replaced' },
      { id: 'there', outcome: 'failed', error: expect.objectContaining({ code: 'DUPLICATE' }) as Error },
    ]);
    expect((await queue.find(TOPIC, 'there'))?.headers).toEqual({ k: 'v' });
    expect(await queue.sendMany(TOPIC, [])).toEqual([]);
  });

  it('rejects bad input anywhere before anything is written, and names the item', async () => {
    const { queue, engine } = await instance();
    const good = { content: 1, delay: '1h' };
    const bad: [unknown, string][] = [
      [{ content: 1, delay: -1 }, 'INVALID_DELAY'],
      [{ content: 1 }, 'INVALID_DELAY'],
      [{ content: 1, delay: 1, at: 1 }, 'INVALID_DELAY'],
      [{ content: 1, delay: 1, id: '' }, 'INVALID_ID'],
      [{ delay: 1 }, 'INVALID_CONTENT'],
      [{ content: 1, delay: 1, dely: 1 }, 'INVALID_OPTION'],
      [{ content: 1, delay: 1, headers: { a: 1 } }, 'INVALID_CONTENT'],
      [null, 'INVALID_OPTION'],
      [7, 'INVALID_OPTION'],
    ];
    for (const [item, code] of bad) {
      await expect(queue.sendMany(TOPIC, [good, good, item as SendItem])).rejects.toMatchObject({
        code,
        index: 2,
        message: expect.stringMatching(/^items\[2\]: /) as string,
      });
    }
    await expect(queue.sendMany(TOPIC, 'x' as unknown as [])).rejects.toMatchObject({
      code: 'INVALID_CONTENT',
    });
    expect(engine.puts).toEqual([]);
  });

  it('reports what finds no room, and what finds no store, per message', async () => {
    const full = await instance({ producer: { maxPending: 3, overflow: 'reject' } });
    const items = Array.from({ length: 5 }, (_, i) => ({ content: i, delay: '1h', id: `m${i}` }));
    expect((await full.queue.sendMany(TOPIC, items)).map(({ outcome }) => outcome)).toEqual([
      ...['stored', 'stored', 'stored'],
      ...['failed', 'failed'],
    ]);
    const small = await instance({ regions: 1 }, { maxMessages: 4 });
    const results = await small.queue.sendMany(TOPIC, items);
    expect(results.filter(({ outcome }) => outcome === 'stored').length).toBe(4);
    expect(results.find(({ outcome }) => outcome === 'failed')).toMatchObject({
      error: { code: 'STORE_FULL' },
    });
  });

  it('takes ten thousand and more in calls of at most 500', async () => {
    const { queue, engine } = await instance();
    const items = Array.from({ length: 12_000 }, (_, i) => ({ content: i, delay: '1h', id: `m${i}` }));
    const results = await queue.sendMany(TOPIC, items);
    expect(results.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
    expect(Math.max(...engine.puts.map(({ messages }) => messages.length))).toBeLessThanOrEqual(500);
    const cancelled = await queue.cancelMany(
      TOPIC,
      items.map(({ id }) => id),
    );
    expect(cancelled.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      items.map(({ id }) => `${id} cancelled`),
    );
    expect(engine.of('cancel').length).toBeLessThan(40);
  });
});

describe('cancelMany', () => {
  it('rejects bad ids before any is cancelled, and names the position', async () => {
    const { queue } = await instance();
    await queue.send(TOPIC, 1, '1h', { id: 'a' });
    await expect(queue.cancelMany(TOPIC, ['a', ''])).rejects.toMatchObject({ code: 'INVALID_ID', index: 1 });
    await expect(queue.cancelMany(TOPIC, 'a' as unknown as [])).rejects.toMatchObject({ code: 'INVALID_ID' });
    expect(await queue.cancelMany(TOPIC, ['a', 'b'])).toEqual([
      { id: 'a', outcome: 'cancelled' },
      { id: 'b', outcome: 'unknown' },
    ]);
    expect(await queue.cancelMany(TOPIC, [])).toEqual([]);
  });

  it('gives an error for each id that could not be cancelled', async () => {
    const { queue, engine } = await instance({ producer: { timeout: 50 } });
    await queue.send(TOPIC, 1, '1h', { id: 'a' });
    engine.tap = (call, next) => (call.method === 'cancel' ? new Promise(() => undefined) : next());
    const [result] = await queue.cancelMany(TOPIC, ['a']);
    expect(result).toMatchObject({ id: 'a', error: { code: 'TIMEOUT', mayBeStored: true } });
  });
});

describe('a bound topic', () => {
  it('has the same verbs', async () => {
    const { queue } = await instance();
    const orders = queue.topic<{ no: number }>(TOPIC);
    expect(orders).toBe(queue.topic(TOPIC));
    await orders.send({ no: 1 }, '1h', { id: 'a' });
    await orders.sendAt({ no: 2 }, Date.now() + 1_000, { id: 'b' });
    await orders.sendMany([{ content: { no: 3 }, delay: 1_000, id: 'c' }]);
    expect((await orders.find('a'))?.content?.no).toBe(1);
    expect(await orders.reschedule('a', '2h')).toBe('rescheduled');
    expect(await orders.cancel('a')).toBe('cancelled');
    expect((await orders.cancelMany(['b', 'c'])).map(({ outcome }) => outcome)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    expect(() => queue.topic('no topic')).toThrow(/topic must be/);
  });
});
