import { DelayQueueError, jsonCodec, type Codec } from '@delay-queue/core';
import { describe, expect, it } from 'vitest';
import { instance } from './support/instance.js';

const TOPIC = 't';

function cycle(): object {
  const order: Record<string, unknown> = { items: [{ price: 1 }] };
  order['self'] = { again: order };
  return order;
}

describe('jsonCodec', () => {
  it.each([
    ['a string', 'order 7'],
    ['an emoji, a ZWJ sequence and a BOM', '😀 👩‍👩‍👧 \ufeff \u2028'],
    ['a lone surrogate', 'a\ud83db'],
    ['a number', -0.5],
    ['null', null],
    ['false', false],
    ['nested values', { a: [1, { b: 'c' }], d: null }],
    ['a big integer text', { id: '130775545883395173' }],
    ['an empty array', []],
  ])('keeps %s', (_what, content) => {
    expect(jsonCodec.decode(jsonCodec.encode(content))).toEqual(content);
  });

  it("follows JSON's rules inside", () => {
    const at = new Date(0);
    expect(jsonCodec.decode(jsonCodec.encode({ at, nan: NaN, gone: undefined }))).toEqual({
      at: at.toISOString(),
      nan: null,
    });
    expect(jsonCodec.decode(jsonCodec.encode(at))).toBe(at.toISOString());
  });

  it.each([
    ['undefined', undefined, /undefined/],
    ['a function', () => 1, /a function/],
    ['a symbol', Symbol('s'), /Symbol/],
    ['a BigInt', 1n, /BigInt/],
    ['a Buffer', Buffer.from([0, 255]), /Buffer/],
    ['a typed array', new Uint8Array(2), /Buffer/],
    ['an ArrayBuffer', new ArrayBuffer(2), /Buffer/],
    ['a Map', new Map(), /Map/],
    ['a Set', new Set(), /Set/],
    ['an Error', new TypeError('lost'), /Error/],
    ['a RegExp', /x/, /RegExp/],
    ['NaN', NaN, /NaN/],
    ['Infinity', -Infinity, /Infinity/],
    ['a promise', Promise.resolve(1), /promise; await/],
    ['toJSON that gives nothing', { toJSON: () => undefined }, /must not be/],
    ['a BigInt inside', { items: [{ price: 1 }, { price: 2n }] }, /at content\.items\[1\]\.price/],
    ['a cycle', cycle(), /at content\.self\.again/],
    ['a toJSON that throws', { when: { toJSON: () => raise('no') } }, /at content\.when.*no/],
    [
      'a getter that throws',
      {
        a: {
          get b(): never {
            return raise('no');
          },
        },
      },
      /at content\.a\.b.*no/,
    ],
    [
      'a toJSON at the top that throws a weird thing',
      { toJSON: () => raise(undefined) },
      /cannot be written/,
    ],
    ['a revoked proxy', revoked(), /cannot be written|revoked/],
    ['a revoked proxy inside', { a: revoked() }, /cannot be written/],
  ])('refuses %s', (_what, content, message) => {
    const error = thrownBy(() => jsonCodec.encode(content));
    expect(error).toBeInstanceOf(DelayQueueError);
    expect(error).toMatchObject({ code: 'INVALID_CONTENT' });
    expect((error as Error).message).toMatch(message);
  });

  it('refuses what is nested too deeply to write, without harm', () => {
    let deep: unknown = 1n;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(thrownBy(() => jsonCodec.encode(deep))).toMatchObject({ code: 'INVALID_CONTENT' });
  });
});

describe('content of a send', () => {
  it('is limited in bytes of UTF-8, to the byte', async () => {
    const { queue } = await instance({ limits: { maxContentBytes: 12 } });
    const fits = ['x'.repeat(10), 'é'.repeat(5), '😀😀xx', '€€€x'];
    for (const content of fits) {
      const { id } = await queue.send(TOPIC, content, '1h');
      expect((await queue.find(TOPIC, id))?.content).toBe(content);
    }
    for (const content of [...fits.map((text) => `${text}x`), 'x'.repeat(1_000)]) {
      await expect(queue.send(TOPIC, content, '1h')).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' });
    }
  });

  it('goes through the codec of the user, whose mistakes are typed errors', async () => {
    const upper: Codec = {
      encode: (content) => String(content).toUpperCase(),
      decode: (text) => text.toLowerCase(),
    };
    const { queue } = await instance({ codec: upper });
    await queue.send(TOPIC, 'abc', '1h', { id: 'x' });
    expect((await queue.find(TOPIC, 'x'))?.content).toBe('abc');
    const answers: unknown[] = [undefined, 7, 'a\ud800', Promise.resolve('x')];
    for (const answer of answers) {
      const bad = await instance({ codec: { ...upper, encode: () => answer as string } });
      await expect(bad.queue.send(TOPIC, 1, 1)).rejects.toMatchObject({ code: 'INVALID_CONTENT' });
    }
    const broken = await instance({
      codec: { encode: () => raise('no encode'), decode: () => raise('no decode') },
    });
    await expect(broken.queue.send(TOPIC, 1, 1)).rejects.toMatchObject({
      code: 'INVALID_CONTENT',
      message: expect.stringContaining('no encode') as string,
    });
  });

  it('that cannot be read any more is still found', async () => {
    const { queue } = await instance({ codec: { encode: () => 'x', decode: () => raise('no') } });
    await queue.send(TOPIC, 1, '1h', { id: 'x' });
    expect(await queue.find(TOPIC, 'x')).toMatchObject({ state: 'waiting', content: undefined });
  });
});

describe('headers', () => {
  it('are own strings, also __proto__, and bounded', async () => {
    const { queue } = await instance();
    const headers = JSON.parse('{"__proto__": "p", "trace": "ü😀"}') as Record<string, string>;
    await queue.send(TOPIC, 1, '1h', { id: 'x', headers });
    const found = (await queue.find(TOPIC, 'x'))?.headers ?? {};
    expect(Object.entries(found)).toEqual([
      ['__proto__', 'p'],
      ['trace', 'ü😀'],
    ]);
    await queue.send(TOPIC, 1, '1h', { id: 'none', headers: {} });
    expect((await queue.find(TOPIC, 'none'))?.headers).toEqual({});
    const bad: unknown[] = [
      null,
      'x',
      ['a'],
      new Map([['a', 'b']]),
      { a: 1 },
      { a: undefined },
      { a: 'x\ud800' },
      { ['a\ud800']: 'x' },
      { [Symbol('s')]: 'x' },
      { a: 'x'.repeat(8_192) },
      {
        get a() {
          return raise('no');
        },
      },
      revoked(),
    ];
    for (const value of bad) {
      await expect(
        queue.send(TOPIC, 1, 1, { headers: value as Record<string, string> }),
      ).rejects.toMatchObject({
        code: 'INVALID_CONTENT',
      });
    }
  });
});

function raise(what: string | undefined): never {
  // eslint-disable-next-line typescript/only-throw-error -- users can throw anything
  throw what === undefined ? undefined : new Error(what);
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}
