import { setTimeout as pass } from 'node:timers/promises';
import { DeadLetter, DelayQueueRuntime, resolveProperties } from '@delay-queue/core';
import { redisEngine } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { openStage } from './support/stage.js';
import { readStore, unfinished } from './support/store.js';
import { expectNobodyRobbed, OUT_OF_TIME, rejections } from './support/through.js';
import { TOPIC } from './support/work.js';

const NAMESPACE = 'faults';
const full = (client: Redis): Promise<unknown> => client.config('SET', 'maxmemory', '1');
const roomAgain = (client: Redis): Promise<unknown> => client.config('SET', 'maxmemory', '0');

it('with full memory sends are refused and write nothing, and what is there is worked off', async () => {
  const stage = await openStage({ env: { PER_BURST: '20', SLOW_MS: '6000', LEASE: '5s' } });
  const { client, fleet, namespace } = stage;
  const all = (event: string) => stage.entries().filter((entry) => entry.event === event).length;
  await stage.start(0, 2);
  await expect.poll(() => all('sent')).toBeGreaterThan(1_500);

  await stage.fault('only sends', async () => {
    await full(client);
    const before = new Set((await readStore(client, namespace)).ids.keys());
    await expect.poll(() => rejections(stage).get('only sends')?.['OUT_OF_MEMORY']).toBeGreaterThan(500);
    await fleet.endAll('SIGTERM', 'producer');
    const { ids, violations } = await stage.read();
    expect(violations).toEqual([]);
    expect([...ids.keys()].filter((id) => !before.has(id))).toEqual([]);
    expect(ids.size).toBeGreaterThan(500);
  });
  const codes = Object.keys(rejections(stage).get('only sends') ?? {});
  expect(codes.filter((code) => ![...OUT_OF_TIME, 'OUT_OF_MEMORY'].includes(code))).toEqual([]);

  await stage.fault('only consumers', async () => {
    await stage.start(2, 0);
    // Claims, renewals, retries, dead letters and verdicts all pass, or this would never be.
    await expect.poll(() => unfinished([client], namespace)).toBe(0);
  });
  await roomAgain(client);
  const books = await stage.finish();
  expect(books.dead).toBeGreaterThan(0);
  expect(books.again['the handler threw']).toBeGreaterThan(0);
  expectNobodyRobbed(books);
});

const WORKERS = 2;
const MESSAGES = 1_000;
const LEASE_MS = 2_000;

type End = 'returns' | 'throws' | 'gives up';

/** Workers whose handlers wait until they are told how to end. */
interface HandLed {
  readonly client: Redis;
  /** Starts by id. */
  readonly runs: ReadonlyMap<string, number>;
  /** Every handler that has started. */
  readonly running: () => number;
  send(delayMs: number): Promise<void>;
  /** Ends all handlers. */
  end(how: End): void;
  /** Stops all workers, which give back what they hold. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

async function openHandLed(): Promise<HandLed> {
  const server = await startRedis();
  const client = new Redis(server.url);
  const runs = new Map<string, number>();
  const held = new Set<(how: End) => void>();
  let workers: DelayQueueRuntime[] = [];
  const open = async () => {
    const runtime = new DelayQueueRuntime(
      resolveProperties({
        engine: redisEngine({ connection: server.url }),
        namespace: NAMESPACE,
        consumer: { concurrency: MESSAGES, lease: LEASE_MS, safetyLook: '1s', drain: 0 },
        retry: { attempts: 5, backoff: 100 },
        logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
      }),
    );
    const handler = (_content: unknown, { id }: { id: string }) =>
      new Promise<void>((resolve, reject) => {
        runs.set(id, (runs.get(id) ?? 0) + 1);
        held.add((how) => {
          if (how === 'returns') resolve();
          else reject(how === 'throws' ? new Error('as told') : new DeadLetter('as told'));
        });
      });
    await runtime.open();
    runtime.consume(TOPIC, handler).start();
    return runtime;
  };
  const handLed: HandLed = {
    client,
    runs,
    running: () => held.size,
    async send(delayMs) {
      const { context } = workers[0] ?? (await open());
      const sends = Array.from({ length: MESSAGES }, (_, i) =>
        context.send(TOPIC, i, delayMs, { id: `m${i}` }),
      );
      await Promise.all(sends);
    },
    end(how) {
      for (const end of held) end(how);
      held.clear();
    },
    async stop() {
      const stopping = workers;
      workers = [];
      await Promise.all(stopping.map((worker) => worker.close()));
      held.clear();
    },
    async start() {
      workers = await Promise.all(Array.from({ length: WORKERS }, open));
    },
  };
  onTestFinished(async () => {
    await handLed.stop();
    client.disconnect();
    await server.stop();
  });
  await handLed.start();
  return handLed;
}

/** How many messages are in each state; nothing else may be wrong. */
async function states(client: Redis): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { state } of (await readStore(client, NAMESPACE)).ids.values())
    counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

it('claims alone meet full memory: all messages start, once', async () => {
  const { client, ...queue } = await openHandLed();
  await queue.send(3_000);
  expect(queue.running()).toBe(0);
  await full(client);
  await expect.poll(queue.running).toBe(MESSAGES);
  await roomAgain(client);
  queue.end('returns');
  await expect.poll(() => states(client)).toEqual({});
  expect(new Set(queue.runs.values())).toEqual(new Set([1]));
});

it.each<[End | 'is stopped', left: Record<string, number>]>([
  ['returns', {}],
  ['gives up', { dead: MESSAGES }],
  ['throws', { running: MESSAGES }],
  ['is stopped', { waiting: MESSAGES }],
])('verdicts alone meet full memory: a handler that %s leaves %o', async (how, left) => {
  const { client, ...queue } = await openHandLed();
  await queue.send(0);
  await expect.poll(queue.running).toBe(MESSAGES);
  await full(client);
  await pass(1.5 * LEASE_MS);
  if (how === 'is stopped') await queue.stop();
  else queue.end(how);
  await expect.poll(() => states(client)).toEqual(left);
  // Leases were renewed, or others would have taken what was running.
  const again = how === 'throws' ? 2 : 1;
  await expect.poll(() => new Set(queue.runs.values())).toEqual(new Set([again]));
  await roomAgain(client);
  if (how === 'is stopped') await queue.start();
  if (how === 'throws' || how === 'is stopped') await expect.poll(queue.running).toBe(MESSAGES);
  queue.end('returns');
  await expect.poll(() => states(client)).toEqual(how === 'gives up' ? left : {});
  expect((await readStore(client, NAMESPACE)).violations).toEqual([]);
});
