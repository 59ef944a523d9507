import { DelayQueueRuntime, resolveProperties, type DelayQueueError } from '@delay-queue/core';
import { redisEngine, type RedisDurability } from '@delay-queue/redis';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startWatchedPair } from '../support/redis-sentinel.js';
import type { RedisServer } from '../support/redis-server.js';

const TOPIC = 'work';
const IN_FLIGHT = 10;
const ROUNDS = 3;

/** Sends without pause, and knows what resolved. */
interface Sender {
  readonly namespace: string;
  readonly resolved: string[];
  /** Rejections by code. */
  readonly rejected: Map<string, number>;
  stop(): Promise<void>;
}

async function startSender(url: string, name: string, durability?: RedisDurability): Promise<Sender> {
  const engine = redisEngine({ connection: url, ...(durability === undefined ? {} : { durability }) });
  const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };
  const runtime = new DelayQueueRuntime(resolveProperties({ engine, namespace: name, logger: quiet }));
  await runtime.open();
  const resolved: string[] = [];
  const rejected = new Map<string, number>();
  let count = 0;
  const stopping = new AbortController();
  const loops = Array.from({ length: IN_FLIGHT }, async () => {
    while (!stopping.signal.aborted) {
      const id = `${name}-${count++}`;
      try {
        await runtime.context.send(TOPIC, id, '1h', { id });
        resolved.push(id);
      } catch (error) {
        const { code } = error as DelayQueueError;
        rejected.set(code, (rejected.get(code) ?? 0) + 1);
      }
    }
  });
  const stop = async () => {
    stopping.abort();
    await Promise.all(loops);
    await runtime.close();
  };
  onTestFinished(stop);
  return { namespace: name, resolved, rejected, stop };
}

/** The ids of all messages that a server holds for a namespace. */
async function held(server: RedisServer, namespace: string): Promise<Set<string>> {
  const client = new Redis(server.url);
  const ids = new Set<string>();
  for (const key of await client.keys(`{${namespace}:${TOPIC}:*}:message`)) {
    for (const id of await client.hkeys(key)) ids.add(id);
  }
  client.disconnect();
  return ids;
}

const more = (sender: Sender, count: number) => {
  const from = sender.resolved.length;
  return expect.poll(() => sender.resolved.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(from + count);
};

it.each(Array.from({ length: ROUNDS }, (_, round) => [round + 1]))(
  'round %i: a failover loses nothing that was sent with durability, sending goes on by itself, and the old master comes back',
  async () => {
    const pair = await startWatchedPair();
    onTestFinished(() => pair.stop());
    const url = `redis+sentinel://127.0.0.1:${pair.sentinelPort}/main`;
    const plain = await startSender(url, 'plain');
    const durable = await startSender(url, 'durable', { replicas: 1, timeout: 500 });
    await Promise.all([more(plain, 2_000), more(durable, 500)]);

    // A replica that lags is what makes a failover lose something: this one gets nothing any more.
    pair.replica.signal('SIGSTOP');
    const admin = new Redis(pair.master.url);
    await admin.call('CLIENT', 'KILL', 'TYPE', 'replica');
    admin.disconnect();
    await more(plain, 200);
    pair.master.signal('SIGKILL');
    pair.replica.signal('SIGCONT');
    const killedAt = performance.now();
    const heir = new Redis(pair.replica.url);
    onTestFinished(() => heir.disconnect());
    await expect.poll(() => heir.info('replication'), { timeout: 30_000 }).toContain('role:master');
    const promotedAt = performance.now();
    await more(plain, 500);
    const resumedMs = performance.now() - promotedAt;
    // The new master is alone: what is sent is stored, and said to be not yet safe.
    await expect.poll(() => durable.rejected.get('NOT_DURABLE') ?? 0, { timeout: 30_000 }).toBeGreaterThan(0);

    await pair.master.restart();
    await more(durable, 500);
    await Promise.all([plain.stop(), durable.stop()]);

    const lost = async ({ namespace, resolved }: Sender) => {
      const found = await held(pair.replica, namespace);
      return resolved.filter((id) => !found.has(id));
    };
    const lostOfPlain = await lost(plain);
    console.log(
      `failover after ${Math.round(promotedAt - killedAt)} ms, sending again ${Math.round(resumedMs)} ms later; lost: ` +
        `${lostOfPlain.length} of ${plain.resolved.length} plain, 0 wanted of ${durable.resolved.length} durable sends`,
    );
    expect(lostOfPlain.length).toBeGreaterThan(0);
    expect(await lost(durable)).toEqual([]);
    expect(resumedMs).toBeLessThan(10_000);
  },
  180_000,
);
