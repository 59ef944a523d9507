import {
  DelayQueueError,
  DelayQueueRuntime,
  resolveProperties,
  VirtualClock,
  type DelayEngine,
} from '@delay-queue/core';
import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { describe, expect, it, vi } from 'vitest';
import { Door } from './support/door.js';
import { instance, watched } from './support/instance.js';
import { ManualClock, turns } from './support/manual-clock.js';

const TOPIC = 'order:timeout';

describe('DelayQueueRuntime', () => {
  it('delivers what it sends, at once where the store gives no hint', async () => {
    const { runtime, queue } = await instance({
      engine: (context) => {
        const engine: DelayEngine = memoryEngine()(context);
        engine.watch = () => () => undefined;
        return engine;
      },
      consumer: { lease: '1h', safetyLook: '1h' },
    });
    const got: unknown[] = [];
    runtime.consume(TOPIC, (content) => void got.push(content)).start();
    await turns();
    await queue.send(TOPIC, 'at once', 0);
    await queue.send(TOPIC, 'soon', 50);
    await vi.waitFor(() => expect(got).toEqual(['at once', 'soon']));
    await queue.send(TOPIC, 'later', '1h', { id: 'x' });
    await queue.reschedule(TOPIC, 'x', 20);
    await vi.waitFor(() => expect(got).toContain('later'));
  });

  it('serves regions that another process added, told by a hint', async () => {
    const store = new MemoryStore();
    const { runtime } = await instance(
      { regions: 1, consumer: { safetyLook: '1h', lease: '1h' } },
      { store },
    );
    const got: unknown[] = [];
    runtime.consume(TOPIC, (content) => void got.push(content)).start();
    await turns();
    const { queue } = await instance({ regions: 64 }, { store });
    await queue.sendMany(
      TOPIC,
      Array.from({ length: 100 }, (_, i) => ({ content: i, delay: 20 })),
    );
    await vi.waitFor(() => expect(got.length).toBe(100));
  });

  it('opens once, and again after it failed', async () => {
    let opened = 0;
    const runtime = new DelayQueueRuntime(
      resolveProperties({
        engine: (context) => {
          const engine: DelayEngine = memoryEngine()(context);
          engine.open = async () => {
            if (++opened === 1) throw new DelayQueueError('UNSAFE_REDIS', 'insists');
          };
          return engine;
        },
      }),
    );
    await expect(runtime.open()).rejects.toMatchObject({ code: 'UNSAFE_REDIS' });
    await Promise.all([runtime.open(), runtime.open()]);
    await runtime.open();
    expect(opened).toBe(2);
    await runtime.close();
    await runtime.close();
    await expect(runtime.open()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('puts the configured region counts in force when it opens, and checks the selector of named topics', async () => {
    const store = new MemoryStore();
    const { engine } = await instance({ topics: { named: { regions: 7 } } }, { store });
    expect(engine.of('topology').map(({ args: [topic] }) => topic)).toEqual(['named', 'named']);
    const regionSelector = { name: 'modulo', select: (id: string, regions: number) => id.length % regions };
    const other = new DelayQueueRuntime(
      resolveProperties({ engine: memoryEngine({ store }), regionSelector, topics: { named: {} } }),
    );
    await expect(other.open()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await other.close();
  });

  it('opens with the registry away, but not with another selector', async () => {
    const store = new MemoryStore();
    const first = await instance({}, { store });
    await first.queue.send(TOPIC, 1, '1h');
    const regionSelector = { name: 'modulo', select: (id: string, regions: number) => id.length % regions };
    const other = new DelayQueueRuntime(
      resolveProperties({ engine: memoryEngine({ store }), regionSelector }),
    );
    other.consume(TOPIC, () => undefined);
    await expect(other.open()).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(other.context.send(TOPIC, 1, 1)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await other.close();

    const away = new DelayQueueRuntime(
      resolveProperties({
        engine: (context) => {
          const engine: DelayEngine = memoryEngine()(context);
          engine.topology = () => Promise.reject(new DelayQueueError('UNAVAILABLE', 'away'));
          return engine;
        },
      }),
    );
    away.consume(TOPIC, () => undefined);
    await away.open();
    await away.close();
  });

  it('refuses engines that are none, second consumers and bad topics', async () => {
    const make = (engine: unknown) => () =>
      new DelayQueueRuntime(resolveProperties({ engine: (() => engine) as () => DelayEngine }));
    for (const engine of [undefined, null, {}, Promise.resolve({})]) {
      expect(make(engine)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }) as Error);
    }
    const { runtime } = await instance();
    runtime.consume(TOPIC, () => undefined);
    const error = (act: () => unknown): unknown => {
      try {
        return act();
      } catch (thrown) {
        return thrown;
      }
    };
    expect(error(() => runtime.consume(TOPIC, () => undefined))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(error(() => runtime.consume('no topic', () => undefined))).toMatchObject({
      code: 'INVALID_TOPIC',
    });
    expect(error(() => runtime.consume('t', () => undefined, { lease: 1 }))).toMatchObject({
      code: 'INVALID_OPTION',
    });
    await runtime.drain();
    expect(error(() => runtime.consume('late', () => undefined))).toMatchObject({ code: 'CLOSED' });
  });

  it('lets handlers send while it drains, and refuses everything afterwards', async () => {
    const store = new MemoryStore();
    const { runtime, queue } = await instance({}, { store });
    const running = new Door();
    const finish = new Door();
    const sent: unknown[] = [];
    runtime
      .consume(TOPIC, async () => {
        running.open();
        await finish.opened;
        sent.push(await queue.send('other', 'from a handler', '1h', { id: 'x' }));
      })
      .start();
    await queue.send(TOPIC, 1, 0);
    await running.opened;
    const closing = watched(runtime.close());
    await turns();
    expect(closing.state).toBe('pending');
    finish.open();
    await runtime.close();
    expect(sent).toEqual([{ id: 'x', outcome: 'stored' }]);
    for (const call of [
      () => queue.send(TOPIC, 1, 1),
      () => queue.sendAt(TOPIC, 1, 1),
      () => queue.sendMany(TOPIC, []),
      () => queue.cancel(TOPIC, 'x'),
      () => queue.cancelMany(TOPIC, []),
      () => queue.reschedule(TOPIC, 'x', 1),
      () => queue.find(TOPIC, 'x'),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'CLOSED' });
    }
    const { queue: later } = await instance({}, { store });
    expect((await later.find('other', 'x'))?.content).toBe('from a handler');
  });

  it('lets pending sends settle before it closes, and gives up those that hang', async () => {
    const { runtime, queue, engine } = await instance({ producer: { timeout: '5s', maxPending: 2 } });
    await queue.send(TOPIC, 0, '1h');
    const open = new Door();
    engine.tap = async (call, next) => {
      if (call.method === 'put') await open.opened;
      return next();
    };
    const sends = Array.from({ length: 5 }, (_, i) => watched(queue.send(TOPIC, i, '1h')));
    const closing = runtime.close();
    open.open();
    await closing;
    expect(sends.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done', 'done']);

    const hanging = await instance({ producer: { timeout: '50ms' } });
    await hanging.queue.send(TOPIC, 0, '1h', { timeout: '5s' });
    hanging.engine.tap = (call, next) =>
      call.method === 'put' || call.method === 'cancel' ? new Promise(() => undefined) : next();
    const stuck = watched(hanging.queue.send(TOPIC, 1, '1h', { timeout: '1h' }));
    const none = watched(hanging.queue.send('unknown', 1, '1h', { timeout: '1h' }));
    const cancel = watched(hanging.queue.cancel(TOPIC, 'x'));
    await hanging.runtime.close();
    expect(stuck.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
    expect(none.state).not.toBe('pending');
    expect(cancel.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });

  it('gives up sends that hang half a second after the drain time, whatever their own time limits', async () => {
    const { runtime, queue, engine } = await instance({
      consumer: { drain: 100 },
      producer: { timeout: '1m' },
    });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = (call, next) => (call.method === 'put' ? new Promise(() => undefined) : next());
    const stuck = watched(queue.send(TOPIC, 1, '1h'));
    const begun = performance.now();
    await runtime.drain();
    await runtime.close();
    expect(performance.now() - begun).toBeGreaterThanOrEqual(595);
    expect(stuck.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });

  it('leaves sends no more time when a hanging handler and its verdict have used all of it', async () => {
    const { runtime, queue, engine } = await instance({
      consumer: { drain: 100 },
      producer: { timeout: '1m' },
    });
    const started = new Door();
    runtime
      .consume(TOPIC, () => {
        started.open();
        return new Promise(() => undefined);
      })
      .start();
    await queue.send(TOPIC, 0, 0);
    await started.opened;
    engine.tap = (call, next) =>
      call.method === 'put' || call.method === 'settle' ? new Promise(() => undefined) : next();
    const stuck = watched(queue.send(TOPIC, 1, '1h'));
    const begun = performance.now();
    await runtime.drain();
    const drained = performance.now();
    await runtime.close();
    expect(drained - begun).toBeGreaterThanOrEqual(595);
    expect(performance.now() - drained).toBeLessThan(300);
    expect(stuck.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });

  it('rejects with CLOSED what was never tried when it closed', async () => {
    const { runtime, queue, engine } = await instance({ producer: { timeout: '50ms' } });
    engine.tap = (call, next) => (call.method === 'topology' ? new Promise(() => undefined) : next());
    const never = watched(queue.send(TOPIC, 1, '1h', { timeout: '1h' }));
    await runtime.close();
    expect(never.error).toMatchObject({ code: 'CLOSED', mayBeStored: false });
  });

  it('leaves no timer when a read of the registry fails after it closed', async () => {
    const clock = new ManualClock();
    const { runtime, queue, engine } = await instance({ clock, producer: { timeout: '50ms' } });
    const closed = new Door();
    engine.tap = async (call, next) => {
      if (call.method !== 'topology') return next();
      await closed.opened;
      throw new DelayQueueError('TIMEOUT', 'lost', { mayBeStored: true });
    };
    const never = watched(queue.send(TOPIC, 1, '1h', { timeout: '1h' }));
    await runtime.close();
    expect(never.error).toMatchObject({ code: 'CLOSED' });
    closed.open();
    await turns();
    expect(clock.timers).toBe(0);
  });

  it('sends and delivers under a virtual clock, time standing still', async () => {
    const clock = new VirtualClock(1_000_000);
    const { runtime, queue } = await instance({ clock });
    const got: unknown[] = [];
    runtime
      .consume(TOPIC, async (content) => {
        got.push(content);
        if (content === 'first') await queue.send(TOPIC, 'second', '10m');
      })
      .start();
    await queue.send(TOPIC, 'first', '30m');
    await clock.advance('29m');
    expect(got).toEqual([]);
    await clock.advance('1m');
    expect(got).toEqual(['first']);
    await clock.advance('10m');
    expect(got).toEqual(['first', 'second']);
  });

  it('settles sends under a virtual clock while the store hangs', async () => {
    const clock = new VirtualClock(1_000_000);
    const { queue, engine } = await instance({ clock });
    await queue.send(TOPIC, 0, '1h');
    engine.tap = (call, next) => (call.method === 'put' ? new Promise(() => undefined) : next());
    const sent = watched(queue.send(TOPIC, 1, '1h'));
    await clock.advance('5s');
    expect(sent.error).toMatchObject({ code: 'TIMEOUT', mayBeStored: true });
  });
});
