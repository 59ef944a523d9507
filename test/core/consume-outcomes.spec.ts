import { DeadLetter, RetryLater, VirtualClock, type DelayMessage } from '@delay-queue/core';
import { expect, test } from 'vitest';
import { simulated } from './support/consuming.js';

/** A number of thrown things, some of which cannot be read without care. */
function oddities(): [string, unknown][] {
  const circular = new Error('circular');
  Object.assign(circular, { self: circular, cause: circular });
  const loop: Record<string, unknown> = {};
  loop['loop'] = loop;
  const trap = Object.defineProperty({}, 'message', {
    get() {
      throw new Error('no message for you');
    },
  });
  const throwingStack = Object.defineProperty(new Error('stackless'), 'stack', {
    get() {
      throw new Error('no stack');
    },
  });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  return [
    ['undefined', undefined],
    ['null', null],
    ['an empty string', ''],
    ['a string', 'no'],
    ['a number', 0],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['an object', { code: 7 }],
    ['an object with a cycle', loop],
    ['an error with a cycle', circular],
    ['an error without a message', new TypeError()],
    ['an error of 5 MB', new Error('é'.repeat(2_500_000))],
    ['an error with null characters and half a surrogate', new Error('a\0b\ud83dc')],
    ['a throwing getter', trap],
    ['a throwing stack', throwingStack],
    ['a revoked proxy', revoked.proxy],
    ['an aggregate', new AggregateError([new Error('x')], 'several')],
  ];
}

test.each(oddities())(
  '%s thrown becomes a dead letter with a readable reason of at most 1 KiB',
  async (_, thrown) => {
    const { worker, clock } = simulated(
      () => {
        throw thrown;
      },
      { options: { retry: { attempts: 1 } } },
    );
    await worker.put('a', 0);
    await clock.advance(0);
    const found = await worker.find('a');
    expect(found).toMatchObject({ state: 'dead', deliveries: 1, failures: 1 });
    const reason = found?.reason ?? '';
    expect(reason).not.toBe('');
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(1_024);
    expect(Buffer.from(reason).toString()).toBe(reason);
    expect(reason).not.toContain('\0');
  },
);

test.each([
  [
    'throws',
    () => {
      throw new Error('nope');
    },
  ],
  ['rejects', () => Promise.reject(new Error('nope'))],
  [
    'returns a thenable that rejects',
    // oxlint-disable-next-line unicorn/no-thenable -- what a handler may return
    () => ({ then: (_: unknown, no: (e: Error) => void) => no(new Error('nope')) }),
  ],
  [
    'returns a thenable whose then throws',
    () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- what a handler may return
      get then() {
        throw new Error('nope');
      },
    }),
  ],
])('a handler that %s is tried exactly as often as allowed, then the message is dead', async (_, handler) => {
  const attempts: number[] = [];
  const failures: number[] = [];
  const { worker, clock } = simulated(
    (__, message) => {
      attempts.push(message.attempt);
      failures.push(message.failures);
      return handler();
    },
    { options: { retry: { attempts: 4, backoff: '10s' } } },
  );
  await worker.put('a', 1_000);
  await clock.advance('1d');
  expect(attempts).toEqual([1, 2, 3, 4]);
  expect(failures).toEqual([0, 1, 2, 3]);
  expect(await worker.find('a')).toMatchObject({ state: 'dead', deliveries: 4, failures: 4, reason: 'nope' });
  expect(worker.log.of('warn').map(({ details }) => details['attempt'])).toEqual([1, 2, 3]);
  expect(worker.log.of('error').map(({ details }) => details)).toMatchObject([
    { topic: 'order:timeout', id: 'a', attempt: 4, latenessMs: 0, error: 'nope' },
  ]);
});

test('retries come after the back-off, doubled each time, never sooner', async () => {
  const at: number[] = [];
  const { worker, clock } = simulated(
    (_, message) => {
      at.push(clock.now());
      if (message.attempt < 5) throw new Error('not yet');
    },
    { options: { retry: { backoff: { delay: '1m', factor: 2, jitter: 0 } } } },
  );
  const start = clock.now();
  await worker.put('a', 0);
  await clock.advance('1h');
  expect(at.map((time) => (time - start) / 60_000)).toEqual([0, 1, 3, 7, 15]);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('RetryLater comes back when it says, as often as it likes, and counts no failure', async () => {
  const seen: Pick<DelayMessage, 'attempt' | 'failures'>[] = [];
  const { worker, clock } = simulated(
    (_, { attempt, failures }) => {
      seen.push({ attempt, failures });
      if (attempt <= 20) throw new RetryLater('10m');
      throw new Error('real');
    },
    { options: { retry: { attempts: 2, backoff: '1s' } } },
  );
  await worker.put('a', 0);
  await clock.advance('201m');
  expect(seen).toHaveLength(22);
  expect(seen.at(-1)).toEqual({ attempt: 22, failures: 1 });
  expect(seen.at(-2)).toEqual({ attempt: 21, failures: 0 });
  expect(worker.log.of('warn').map(({ details }) => details['error'])).toEqual(['real']);
});

test.each([-1, NaN, Infinity, 'soon', undefined, {}, Date.now() * 1_000])(
  'RetryLater(%s) is retried by policy and says so',
  async (delay) => {
    const at: number[] = [];
    const { worker, clock } = simulated(
      () => {
        at.push(clock.now());
        throw new RetryLater(delay as number);
      },
      { options: { retry: { attempts: 2, backoff: '7s' } } },
    );
    const start = clock.now();
    await worker.put('a', 0);
    await clock.advance('1h');
    expect(at.map((time) => time - start)).toEqual([0, 7_000]);
    expect(await worker.find('a')).toMatchObject({ state: 'dead', failures: 2 });
    expect(worker.log.of('warn')[0]?.details['error']).toContain('invalid delay');
  },
);

test('DeadLetter is not tried again', async () => {
  let runs = 0;
  const { worker, clock } = simulated(() => {
    runs++;
    throw new DeadLetter('no such order');
  });
  await worker.put('a', 0);
  await clock.advance('1d');
  expect(runs).toBe(1);
  expect(await worker.find('a')).toMatchObject({ state: 'dead', reason: 'no such order' });
});

test('content that cannot be decoded is a dead letter at once, and its neighbours run', async () => {
  const runs: unknown[] = [];
  const { worker, clock } = simulated((content) => void runs.push(content));
  await worker.put('bad', 0, '{"half":');
  await worker.put('good', 0);
  await clock.advance('1m');
  expect(runs).toEqual(['good']);
  expect(await worker.find('bad')).toMatchObject({ state: 'dead', failures: 0 });
  expect((await worker.find('bad'))?.reason).toMatch(/^unreadable content: /);
});

test.each([
  [
    'a circular object',
    () => {
      const o: Record<string, unknown> = {};
      o['o'] = o;
      return o;
    },
  ],
  ['a bigint', () => 1n],
  ['a function', () => () => 1],
  ['a promise of 50 MB', async () => 'x'.repeat(50_000_000)],
  ['null', () => null],
])('a handler that returns %s has handled its message', async (_, handler) => {
  let runs = 0;
  const { worker, clock } = simulated(() => {
    runs++;
    return handler();
  });
  await worker.put('a', 0);
  await clock.advance('1d');
  expect(runs).toBe(1);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 0 });
});

test('a back-off function that throws or gives nonsense loses nothing', async () => {
  const nonsense = [NaN, -1, Infinity, undefined, 'soon'];
  let runs = 0;
  const { worker, clock } = simulated(
    () => {
      runs++;
      throw new Error('x');
    },
    {
      properties: {
        maxAttempts: 7,
        backoffMs: () => {
          throw new Error('bad policy');
        },
      },
      options: { retry: { backoff: (n) => nonsense[n - 1] as number } },
    },
  );
  await worker.put('a', 0);
  await clock.advance('1m');
  // A policy that breaks its promise not to throw counts no failure: it is the queue's fault, and is logged.
  expect(runs).toBeGreaterThan(10);
  expect(worker.log.of('error', /unexpected/).length).toBeGreaterThan(0);
  expect(await worker.counts()).toMatchObject({ dead: 0 });
});

test('a logger that throws changes nothing', async () => {
  const angry = () => {
    throw new Error('disk full');
  };
  let runs = 0;
  const { worker, clock } = simulated(
    () => {
      runs++;
      throw new Error('x');
    },
    {
      clock: new VirtualClock(),
      options: { logger: { log: angry, warn: angry, error: angry }, retry: { attempts: 3 } },
    },
  );
  await worker.put('a', 0);
  await clock.advance('1d');
  expect(runs).toBe(3);
  expect(await worker.counts()).toEqual({ waiting: 0, running: 0, dead: 1 });
});
