import { DelayQueueError, EngineHealth } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { instance, watched } from './support/instance.js';
import { ManualClock } from './support/manual-clock.js';
import { RecordedLog } from './support/recorded-log.js';

function health() {
  const log = new RecordedLog();
  return {
    log,
    health: new EngineHealth(log, 'shop'),
    texts: () => log.lines.map(({ level, text }) => `${level}: ${text}`),
  };
}

describe('EngineHealth', () => {
  it('writes one line when the first part fails and one when the last has recovered', () => {
    const { health: parts, texts } = health();
    parts.ok('a');
    parts.failed('a', new Error('why'));
    parts.failed('b', 'other');
    parts.failed('a', new Error('again'));
    parts.ok('a');
    parts.ok('a');
    expect(texts()).toEqual(["error: delay queue 'shop': the store fails (a): why; trying on"]);
    parts.ok('b');
    expect(texts().slice(1)).toEqual(["log: delay queue 'shop': the store works again (b)"]);
    parts.failed('b', undefined);
    expect(texts().length).toBe(3);
  });

  it('survives a logger that throws', async () => {
    const broken = () => {
      throw new Error('no log');
    };
    const { queue, engine } = await instance({ logger: { log: broken, warn: broken, error: broken } });
    let tries = 0;
    engine.tap = (call, next) =>
      call.method === 'put' && ++tries < 3
        ? Promise.reject(new DelayQueueError('UNAVAILABLE', 'away'))
        : next();
    expect((await queue.send('t', 1, '1h')).outcome).toBe('stored');
  });

  it('does not wait for parts that nobody tries any more', () => {
    const { health: parts, texts } = health();
    parts.failed('a', new Error('why'));
    parts.failed('b', new Error('why'));
    parts.idle('b');
    parts.ok('a');
    expect(texts().length).toBe(2);
    parts.idle('never failed');
    parts.ok('b');
    expect(texts().length).toBe(2);
  });
});

describe('an outage that nobody waited out', () => {
  const away = () => Promise.reject(new DelayQueueError('UNAVAILABLE', 'away'));

  it('is over when anything of its kind works, so that the next one is told', async () => {
    const clock = new ManualClock();
    const { queue, engine, log } = await instance({ clock, producer: { timeout: 100 } });
    const lines = () => [log.of('error').length, log.of('log').length];
    for (const topic of ['a', 'b']) watched(queue.send(topic, 1, '1h'));
    await clock.tick(10);
    for (let outage = 1; outage <= 2; outage++) {
      engine.tap = away;
      watched(queue.send('a', 1, '1h'));
      await clock.tick(1_000);
      engine.tap = (_call, next) => next();
      const cancelled = watched(queue.cancel('b', 'x'));
      await clock.tick(10);
      expect(cancelled.state).toBe('done');
      expect(lines()).toEqual([outage, outage - 1]);
      watched(queue.send('b', 1, '1h'));
      await clock.tick(10);
      expect(lines()).toEqual([outage, outage]);
    }
  });

  it('is over for the registry when the entry of any topic can be read', async () => {
    const clock = new ManualClock();
    const { queue, engine, log } = await instance({ clock, producer: { timeout: 100 } });
    engine.tap = away;
    watched(queue.send('a', 1, '1h'));
    await clock.tick(1_000);
    engine.tap = (_call, next) => next();
    watched(queue.send('b', 1, '1h'));
    await clock.tick(10);
    expect([log.of('error').length, log.of('log').length]).toEqual([1, 1]);
  });
});

describe('an outage while sending to many regions and topics', () => {
  it('makes exactly two lines', async () => {
    const clock = new ManualClock();
    const { queue, engine, log } = await instance({ clock, regions: 16 });
    const sendAll = () =>
      ['a', 'b', 'c'].flatMap((topic) =>
        Array.from({ length: 100 }, (_, i) =>
          watched(queue.send(topic, i, '1h', { id: `m${i}`, timeout: '1m' })),
        ),
      );
    const first = sendAll();
    await clock.tick(10);
    expect(first.every(({ state }) => state === 'done')).toBe(true);
    for (let outage = 1; outage <= 2; outage++) {
      engine.tap = () => Promise.reject(new DelayQueueError('UNAVAILABLE', 'away'));
      const sends = sendAll();
      await clock.tick(20_000);
      engine.tap = (_call, next) => next();
      await clock.tick(1_000);
      expect(sends.every(({ state }) => state === 'done')).toBe(true);
      expect([log.of('error').length, log.of('log').length]).toEqual([outage, outage]);
    }
  });
});
