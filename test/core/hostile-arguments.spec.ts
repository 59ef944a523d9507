import {
  DelayQueueError,
  resolveProperties,
  type DelayQueueContext,
  type SendItem,
  type SendOptions,
} from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { describe, expect, it } from 'vitest';
import { instance } from './support/instance.js';

const TOPIC = 'order:timeout';

const trap = (): never => {
  throw new Error('trapped');
};

/** Reading anything of it throws. */
const trapped = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });

/** A list of which nothing can be read. */
const revoked: unknown = (() => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
})();

/** An object with one member that cannot be read. */
const withTrap = (name: string): object => Object.defineProperty({}, name, { enumerable: true, get: trap });

/** A list of three, of which only the first is there. */
const withHoles = <T>(first: T): T[] => Object.assign(Array.from<T>({ length: 0 }), { 0: first, length: 3 });

describe('lists with holes', () => {
  it('are refused where an item or an id is missing, as if it were undefined', async () => {
    const { queue } = await instance();
    await queue.send(TOPIC, 1, '1h', { id: 'a' });
    const items = withHoles<SendItem>({ content: 1, delay: 0 });
    await expect(queue.sendMany(TOPIC, items)).rejects.toMatchObject({ code: 'INVALID_OPTION', index: 1 });
    const ids = withHoles('a');
    await expect(queue.cancelMany(TOPIC, ids)).rejects.toMatchObject({ code: 'INVALID_ID', index: 1 });
    for (const repair of ['redrive', 'discard'] as const) {
      const repaired = queue.inspect(TOPIC)[repair](ids);
      await expect(repaired).rejects.toMatchObject({ code: 'INVALID_ID', index: 1 });
    }
    expect(await queue.find(TOPIC, 'a')).toMatchObject({ state: 'waiting' });
  });
});

describe('arguments that cannot be read', () => {
  const calls: Readonly<
    Record<string, [code: string, call: (queue: DelayQueueContext, bad: unknown) => Promise<unknown>]>
  > = {
    options: ['INVALID_OPTION', (queue, bad) => queue.send(TOPIC, 1, 0, bad as SendOptions)],
    headers: [
      'INVALID_CONTENT',
      (queue, bad) => queue.send(TOPIC, 1, 0, { headers: bad as Record<string, string> }),
    ],
    at: ['INVALID_DELAY', (queue, bad) => queue.sendAt(TOPIC, 1, bad as Date)],
    items: ['INVALID_CONTENT', (queue, bad) => queue.sendMany(TOPIC, bad as [])],
    item: ['INVALID_OPTION', (queue, bad) => queue.sendMany(TOPIC, [bad as SendItem])],
    ids: ['INVALID_ID', (queue, bad) => queue.cancelMany(TOPIC, bad as [])],
    'ids of dead letters': ['INVALID_OPTION', (queue, bad) => queue.inspect(TOPIC).redrive(bad as [])],
    'options of a page': ['INVALID_OPTION', (queue, bad) => queue.inspect(TOPIC).page('waiting', bad as {})],
  };

  it.each(Object.entries(calls))('%s: a typed error, and nothing is written', async (_, [code, call]) => {
    const { queue, engine } = await instance();
    for (const bad of [trapped, revoked]) {
      const error = await call(queue, bad).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DelayQueueError);
      expect(error).toMatchObject({ code });
    }
    expect(engine.puts).toEqual([]);
  });

  it('members that cannot be read are named by their cause', async () => {
    const { queue } = await instance();
    for (const name of ['id', 'onDuplicate', 'headers', 'timeout']) {
      await expect(queue.send(TOPIC, 1, 0, withTrap(name))).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        message: 'options cannot be read: trapped',
      });
      await expect(queue.sendMany(TOPIC, [withTrap(name) as SendItem])).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        index: 0,
      });
    }
  });

  it('a date is one wherever it was made; what only looks like one is refused', async () => {
    const { queue } = await instance();
    class Stubborn extends Date {
      override getTime = trap;
    }
    const { id } = await queue.sendAt(TOPIC, 1, new Stubborn(Date.now() + 60_000));
    expect(await queue.find(TOPIC, id)).toMatchObject({ state: 'waiting' });
    for (const bad of [Object.create(Date.prototype) as Date, new Proxy(new Date(), {})]) {
      await expect(queue.sendAt(TOPIC, 1, bad)).rejects.toMatchObject({ code: 'INVALID_DELAY' });
    }
  });

  it('an option of a message is read once', async () => {
    const { queue } = await instance();
    let reads = 0;
    const options = Object.defineProperty({}, 'id', { enumerable: true, get: () => `read ${++reads}` });
    expect(await queue.send(TOPIC, 1, '1h', options)).toEqual({ id: 'read 1', outcome: 'stored' });
  });

  it('options of the module are refused by the same rule', () => {
    const engine = memoryEngine();
    const bad: object[] = [
      trapped,
      { engine, topics: trapped },
      { engine, topics: withTrap('order:timeout') },
      { engine, consumer: withTrap('lease') },
      { engine, codec: trapped },
      { engine, logger: revoked as object },
    ];
    for (const options of bad) {
      expect(() => resolveProperties(options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    }
  });
});
