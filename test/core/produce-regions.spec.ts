import { DelayQueueError, jumpHashSelector, type Region } from '@delay-queue/core';
import { MemoryStore } from '@delay-queue/memory';
import { describe, expect, it } from 'vitest';
import { instance } from './support/instance.js';

const TOPIC = 'order:timeout';
const ids = Array.from({ length: 200 }, (_, i) => `m${i}`);
const items = ids.map((id) => ({ id, content: id, delay: '1h' as const }));

describe('region counts that change', () => {
  it('keep ids found, cancelled, rescheduled and unique, also by processes that have not noticed', async () => {
    const store = new MemoryStore();
    const five = await instance({ regions: 5 }, { store });
    await five.queue.sendMany(TOPIC, items);
    const eight = await instance({ regions: 8 }, { store });
    // a duplicate at a former home
    const again = await eight.queue.sendMany(TOPIC, items);
    expect(again.every(({ outcome }) => outcome === 'duplicate')).toBe(true);
    expect((await eight.queue.inspect(TOPIC).counts()).waiting).toBe(200);
    // `five` still uses its old map and is told to move
    const replaced = await five.queue.sendMany(
      TOPIC,
      items.map((item) => ({ ...item, content: 'new', onDuplicate: 'replace' as const })),
    );
    expect(replaced.every(({ outcome }) => outcome === 'replaced')).toBe(true);
    expect(five.log.of('warn').map(({ text }) => text)).toEqual([
      "topic 'order:timeout' has 8 regions, set by another process; the configured 5 are not used",
    ]);
    const three = await instance({ regions: 3 }, { store });
    for (const id of ids.slice(0, 50)) {
      expect(await three.queue.reschedule(TOPIC, id, '2h')).toBe('rescheduled');
      expect((await five.queue.find(TOPIC, id))?.content).toBe('new');
    }
    const cancelled = await eight.queue.cancelMany(TOPIC, ids);
    expect(cancelled.every(({ outcome }) => outcome === 'cancelled')).toBe(true);
    expect((await three.queue.inspect(TOPIC).counts()).waiting).toBe(0);
  });

  it('keep handled ids refused within their dedupe window', async () => {
    const store = new MemoryStore();
    const topics = { [TOPIC]: { dedupe: '1h' } };
    const five = await instance({ regions: 5, topics }, { store });
    await five.queue.sendMany(
      TOPIC,
      ids.map((id) => ({ id, content: id, delay: 0 })),
    );
    let handled = 0;
    five.runtime.consume(TOPIC, () => void handled++).start();
    await expect.poll(async () => (await five.queue.find(TOPIC, 'm0'))?.state).toBe('handled');
    await expect.poll(() => handled).toBe(200);
    await five.runtime.drain();
    const eight = await instance({ regions: 8, topics }, { store });
    const again = await eight.queue.sendMany(TOPIC, items);
    expect(again).toEqual(ids.map((id) => ({ id, outcome: 'duplicate', state: 'handled' })));
  });

  it('put new messages of any id into the current home only', async () => {
    const store = new MemoryStore();
    await (await instance({ regions: 8 }, { store })).queue.send(TOPIC, 0, '1h', { id: 'first' });
    const { queue, engine } = await instance({ regions: 3 }, { store });
    const sent = await queue.sendMany(TOPIC, items);
    expect(sent.every(({ outcome }) => outcome === 'stored')).toBe(true);
    for (const { region, messages, options } of engine.puts) {
      for (const { id } of messages) {
        const home = jumpHashSelector.select(id, 3);
        if (options.onlyIfPresent !== true) expect(region.index).toBe(home);
        else expect(region.index).toBe(jumpHashSelector.select(id, 8));
      }
    }
    engine.calls.length = 0;
    await queue.send(TOPIC, 'generated ids skip former homes', '1h');
    expect(engine.puts.map(({ options }) => options.onlyIfPresent)).toEqual([undefined]);
  });

  it('a generated id whose first answer was lost is looked for at its former home', async () => {
    const store = new MemoryStore();
    const { queue, engine } = await instance({ idGenerator: () => 'm3', regions: 1 }, { store });
    await queue.send(TOPIC, 0, '1h', { id: 'first' });
    let lost = false;
    engine.tap = async ({ method }, next) => {
      const answer = await next();
      if (method !== 'put' || lost) return answer;
      lost = true;
      // meanwhile the count grows, and the retry is told to move
      await (await instance({ regions: 200 }, { store })).queue.send(TOPIC, 0, '1h', { id: 'other' });
      throw new DelayQueueError('TIMEOUT', 'no answer', { mayBeStored: true });
    };
    expect(await queue.send(TOPIC, 1, '1h')).toEqual({ id: 'm3', outcome: 'stored' });
    expect((await queue.inspect(TOPIC).counts()).waiting).toBe(3);
  });

  it.each(['cancel', 'reschedule'] as const)(
    'a %s that one home carried out, and another one cannot answer, may have been carried out',
    async (method) => {
      const store = new MemoryStore();
      await (await instance({ regions: 8 }, { store })).queue.sendMany(TOPIC, items);
      const { queue, engine } = await instance({ regions: 3, producer: { timeout: 300 } }, { store });
      await queue.send(TOPIC, 0, '1h', { id: 'first' });
      const away = jumpHashSelector.select('m3', 3);
      expect(away).not.toBe(jumpHashSelector.select('m3', 8));
      const through = engine.tap;
      engine.tap = (call, next) => {
        const { index } = call.args[0] as Region;
        if (call.method !== method || index !== away) return next();
        return Promise.reject(new DelayQueueError('READ_ONLY', 'not now', { mayBeStored: false }));
      };
      const asked = method === 'cancel' ? queue.cancel(TOPIC, 'm3') : queue.reschedule(TOPIC, 'm3', '2h');
      await expect(asked).rejects.toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
      engine.tap = through;
      expect((await queue.find(TOPIC, 'm3')) === undefined).toBe(method === 'cancel');
    },
  );

  it('never mix an epoch with a region chosen under another one', async () => {
    const store = new MemoryStore();
    const one = await instance({ regions: 2 }, { store });
    await one.queue.send(TOPIC, 0, '1h', { id: 'first' });
    for (const regions of [7, 3, 11, 5]) {
      const other = await instance({ regions }, { store });
      const results = await Promise.all([
        one.queue.sendMany(TOPIC, items),
        other.queue.sendMany(TOPIC, items),
        one.queue.sendMany(TOPIC, items),
      ]);
      const outcomes = results.flat().map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === 'stored').length).toBe(200);
      expect((await other.queue.inspect(TOPIC).counts()).waiting).toBe(201);
      await one.queue.cancelMany(TOPIC, ids);
    }
  });
});
