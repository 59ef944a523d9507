import {
  DelayQueueError,
  jsonCodec,
  jumpHashSelector,
  resolveProperties,
  systemClock,
  type DelayQueueOptions,
} from '@delay-queue/core';
import { memoryEngine } from '@delay-queue/memory';
import { describe, expect, it } from 'vitest';
import { RecordedLog } from './support/recorded-log.js';

const engine = memoryEngine();
const resolve = (options: unknown) => resolveProperties({ engine, ...(options as object) });

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(DelayQueueError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION' });
    return (error as Error).message;
  }
  return 'accepted';
}

describe('resolveProperties', () => {
  it('fills in every default', () => {
    const { topic, consumerOf, ...properties } = resolve({});
    expect(properties).toEqual({
      engine,
      namespace: 'delay-queue',
      name: 'default',
      role: 'both',
      producer: { maxPending: 10_000, overflow: 'wait', timeoutMs: 5_000 },
      consumer: { drainMs: 10_000, autoStart: true },
      regionSelector: jumpHashSelector,
      codec: jsonCodec,
      idGenerator: expect.any(Function) as () => string,
      logger: console,
      clock: systemClock,
      topics: [],
    });
    expect(topic('t')).toEqual({
      regions: 5,
      regionsExplicit: false,
      dedupeMs: 0,
      maxDelayMs: 366 * 86_400_000,
      maxContentBytes: 65_536,
    });
    const { backoffMs, ...consumer } = consumerOf('t');
    expect(consumer).toEqual({
      concurrency: 16,
      queueSize: 64,
      leaseMs: 30_000,
      timeoutMs: 300_000,
      safetyLookMs: 5_000,
      drainMs: 10_000,
      dedupeMs: 0,
      maxAttempts: 5,
      maxCrashes: 5,
    });
    const first = backoffMs(1, undefined);
    expect(first).toBeGreaterThanOrEqual(54_000);
    expect(first).toBeLessThanOrEqual(66_000);
  });

  it('takes explicit undefined as not given', () => {
    const keys = [
      'namespace',
      'name',
      'regions',
      'topics',
      'role',
      'producer',
      'consumer',
      'retry',
      'limits',
    ];
    const more = ['regionSelector', 'codec', 'idGenerator', 'logger', 'clock'];
    const options = Object.fromEntries([...keys, ...more].map((key) => [key, undefined]));
    expect(resolve(options).namespace).toBe('delay-queue');
    expect(resolve({ producer: { timeout: undefined }, topics: { t: undefined } }).topic('t').regions).toBe(
      5,
    );
  });

  it.each([
    ['engine', 7],
    ['engine', {}],
    ['namespace', ''],
    ['namespace', 'a:b'],
    ['namespace', '{a}'],
    ['namespace', 'x'.repeat(65)],
    ['name', ''],
    ['name', 'a\nb'],
    ['role', 'all'],
    ...numbers('regions', 1, 256),
    ...numbers('producer.maxPending', 1, 10_000_000),
    ['producer.overflow', 'drop'],
    ...durations('producer.timeout', 1),
    ...numbers('consumer.concurrency', 1, 10_000),
    ...numbers('consumer.queueSize', 0, 10_000),
    ...durations('consumer.lease', 1_000),
    ...durations('consumer.timeout', 1),
    ...durations('consumer.drain', 0),
    ...durations('consumer.safetyLook', 10),
    ['consumer.autoStart', 'yes'],
    ...numbers('retry.attempts', 1, 1_000_000).filter(([, value]) => value !== Infinity),
    ...numbers('retry.crashes', 1, 1_000_000),
    ...durations('retry.backoff', 0),
    ...durations('retry.backoff.delay', 0),
    ['retry.backoff.type', 'linear'],
    ['retry.backoff.factor', 0.5],
    ['retry.backoff.factor', NaN],
    ['retry.backoff.factor', Infinity],
    ['retry.backoff.max', '1s'],
    ['retry.backoff.jitter', -0.1],
    ['retry.backoff.jitter', 1.1],
    ['retry.backoff.jitter', '0'],
    ...durations('limits.maxDelay', 1),
    ...numbers('limits.maxContentBytes', 1, 16 * 1024 * 1024),
    ['regionSelector', {}],
    ['regionSelector', { name: '', select: () => 0 }],
    ['codec', { encode: () => '' }],
    ['idGenerator', 'uuid'],
    ['logger', { log: () => undefined }],
    ['clock', {}],
    ['producer', []],
    ['consumer', 'fast'],
    ['retry', null],
    ['topics', []],
  ])('refuses %s: %s, naming the option', (path, value) => {
    expect(refusal(() => resolve(at(path, value)))).toContain(path);
  });

  it('refuses unknown keys at any depth, with the key that was meant', () => {
    expect(refusal(() => resolve({ nameSpace: 'x' }))).toMatch(
      /^nameSpace is no option \(did you mean 'namespace'\?\)/,
    );
    expect(refusal(() => resolve({ producer: { treads: 4 } }))).toContain('producer.treads');
    expect(refusal(() => resolve({ consumer: { concurency: 4 } }))).toMatch(
      /consumer\.concurency.*'concurrency'/,
    );
    expect(refusal(() => resolve({ retry: { backof: 1 } }))).toMatch(/retry\.backof.*'backoff'/);
    expect(refusal(() => resolve({ retry: { backoff: { delai: 1 } } }))).toMatch(
      /retry\.backoff\.delai.*'delay'/,
    );
    expect(refusal(() => resolve({ limits: { size: 1 } }))).toContain('limits.size');
    expect(refusal(() => resolve({ topics: { 'order:timeout': { region: 1 } } }))).toMatch(
      /topics\['order:timeout'\]\.region .*'regions'/,
    );
    expect(refusal(() => resolve({ zzzzzzzzzz: 1 }))).not.toContain('did you mean');
    expect(refusal(() => resolve(JSON.parse('{"__proto__": 1}')))).toContain('__proto__');
    expect(refusal(() => resolveProperties(JSON.parse('{"__proto__": 1}') as DelayQueueOptions))).toContain(
      '__proto__',
    );
    for (const options of [undefined, null, 'x', []]) {
      expect(refusal(() => resolveProperties(options as unknown as DelayQueueOptions))).toContain(
        'the options',
      );
    }
    expect(refusal(() => resolveProperties({} as DelayQueueOptions))).toContain('redisEngine');
  });

  it('shows no password of a URL that was given as engine', () => {
    const message = refusal(() => resolve({ engine: 'redis://:secret@localhost' }));
    expect(message).toContain('engine must be an engine factory');
    expect(message).not.toContain('secret');
  });

  it('names the topic of a bad topic option', () => {
    const topics = (options: unknown) => refusal(() => resolve({ topics: { 'order:timeout': options } }));
    expect(topics({ regions: 0 })).toContain("topics['order:timeout'].regions");
    expect(topics({ lease: 1 })).toContain("topics['order:timeout'].lease");
    expect(topics({ retry: { attempts: 0 } })).toContain("topics['order:timeout'].retry.attempts");
    expect(topics({ dedupe: '5' })).toContain("topics['order:timeout'].dedupe");
    expect(topics({ limits: { maxDelay: 0 } })).toContain("topics['order:timeout'].limits.maxDelay");
    expect(refusal(() => resolve({ topics: { 'bad topic': {} } }))).toContain("topics['bad topic']");
  });

  it('gives topics their own values, whatever they are called', () => {
    const topics = JSON.parse('{"constructor": {"regions": 7}, "__proto__": {"regions": 9}}') as object;
    const properties = resolveProperties({ engine, topics: topics as Record<string, object> });
    expect(properties.topic('constructor').regions).toBe(7);
    expect(properties.topic('__proto__').regions).toBe(9);
    expect(properties.topic('toString').regions).toBe(5);
    const limits = { maxDelay: '1d', maxContentBytes: 10 };
    const own = resolve({ regions: 3, limits, topics: { t: { dedupe: '1h', limits: { maxDelay: '2d' } } } });
    expect(own.topic('t')).toEqual({
      regions: 3,
      regionsExplicit: true,
      dedupeMs: 3_600_000,
      maxDelayMs: 172_800_000,
      maxContentBytes: 10,
    });
  });
});

describe('consumerOf', () => {
  it('merges module < decorator < topics[topic], and logs a conflict of the last two once', () => {
    const logger = new RecordedLog();
    const properties = resolve({
      logger,
      consumer: { concurrency: 2, queueSize: 3, lease: '10s', drain: '1s' },
      retry: { attempts: 7, crashes: 2 },
      topics: { t: { concurrency: 9, retry: { attempts: 3 }, dedupe: '1m' } },
    });
    const merged = properties.consumerOf('t', { concurrency: 5, queueSize: 6, retry: { attempts: 4 } });
    expect(merged).toMatchObject({
      concurrency: 9,
      queueSize: 6,
      leaseMs: 10_000,
      drainMs: 1_000,
      dedupeMs: 60_000,
      maxAttempts: 3,
      maxCrashes: 2,
    });
    expect(logger.lines.map(({ text }) => text)).toEqual([
      "topics['t'] overrules its decorator's concurrency, retry.attempts",
    ]);
    properties.consumerOf('t', { concurrency: 9 });
    properties.consumerOf('other', { concurrency: 1 });
    expect(logger.lines.length).toBe(1);
  });

  it('names the option of a bad decorator', () => {
    const { consumerOf } = resolve({});
    expect(refusal(() => consumerOf('t', { concurrency: 0 }))).toContain("@DelayConsumer('t').concurrency");
    expect(refusal(() => consumerOf('t', { retries: 3 } as object))).toMatch(
      /@DelayConsumer\('t'\)\.retries.*'retry'/,
    );
  });

  it('caps the safety look at the lease', () => {
    expect(resolve({ consumer: { lease: '2s', safetyLook: '1m' } }).consumerOf('t').safetyLookMs).toBe(2_000);
  });

  it('takes a number of attempts without end', () => {
    expect(resolve({ retry: { attempts: Infinity } }).consumerOf('t').maxAttempts).toBe(Infinity);
  });
});

/** `{ a: { b: value } }` for `a.b`. */
function at(path: string, value: unknown): object {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

function numbers(path: string, min: number, max: number): [string, unknown][] {
  const values = [min - 1, max + 1, -1, 1.5, NaN, Infinity, String(min), 2 ** 53, null, true];
  return values.filter((value) => value !== 0 || min > 0).map((value) => [path, value]);
}

function durations(path: string, min: number): [string, unknown][] {
  const values = [min - 1, -1, NaN, Infinity, '5', '5M', '-5m', '100000d', Number.MAX_VALUE, null, true];
  return values.map((value) => [path, value]);
}
