import { Cluster } from 'ioredis';
import { Cluster as Cluster5 } from 'ioredis5';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RedisConnection } from '@delay-queue/redis';
import type { Region } from '@delay-queue/core';
import { CLAIM, message } from './messages.js';
import { openEngine, type TestEngine } from './open-engines.js';
import { startCluster, type TestCluster } from './redis-cluster.js';

let cluster: TestCluster;
let nodes: { host: string; port: number }[];

beforeAll(async () => {
  cluster = await startCluster(3);
  nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
}, 60_000);
afterAll(() => cluster.stop());

const regions: Region[] = Array.from({ length: 8 }, (_, index) => ({ topic: 'order:timeout', index }));

/** A message through every region, with whatever an engine can do. */
async function useAllRegions(engine: TestEngine): Promise<void> {
  await engine.topology('order:timeout', { regions: 8, selector: 's', expectedEpoch: 0 });
  await Promise.all(
    regions.map((region) => engine.put(region, [message('a'), message('b', 60_000)], { epoch: 1 })),
  );
  for (const region of regions) {
    expect(await engine.reschedule(region, 'b', { delayMs: 50_000 }, { epoch: 1 })).toBe('rescheduled');
    expect(await engine.cancel(region, ['b'], { epoch: 1 })).toEqual(['cancelled']);
    await expect.poll(async () => (await engine.inspector?.counts(region))?.due).toBe(1);
    const { lease = '', messages } = await engine.claim(region, CLAIM);
    expect(messages).toHaveLength(1);
    expect((await engine.inspector?.page(region, 'running', 0, 5))?.messages).toHaveLength(1);
    expect(await engine.renew(region, [lease], 30_000)).toEqual([]);
    const dead = { id: 'a', verdict: 'dead' as const, reason: 'x', failed: true };
    expect(await engine.settle(region, lease, [dead], { dedupeMs: 0 })).toEqual({
      stale: [],
      superseded: [],
    });
    expect(await engine.inspector?.discard(region, ['a'])).toEqual([true]);
  }
  await engine.inspector?.setPaused(
    'order:timeout',
    regions.map(({ index }) => index),
    true,
  );
  expect((await engine.topology('order:timeout')).paused).toBe(true);
}

describe('a Redis Cluster', () => {
  it.each<[string, () => RedisConnection]>([
    ['a URL', () => `redis+cluster://${nodes.map(({ host, port }) => `${host}:${port}`).join(',')}`],
    ['one of its nodes', () => ({ nodes: nodes.slice(1, 2) })],
    [
      'a Cluster client',
      () =>
        new Cluster(nodes, {
          lazyConnect: true,
          maxRedirections: 0,
          retryDelayOnFailover: 1e6,
          clusterRetryStrategy: () => null,
        }),
    ],
    ['a Cluster client of ioredis 5', () => new Cluster5(nodes, { lazyConnect: true }) as unknown as Cluster],
  ])('reached by %s runs every operation in every region', async (_name, connection) => {
    const engine = await openEngine(connection());
    await useAllRegions(engine);
    // Nothing is sent to a wrong place, and the regions are not all in one.
    const sizes = await Promise.all(
      cluster.clients.map(async (client) => (await client.keys(`{${engine.namespace}*`)).length),
    );
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThan(1);
    const began = performance.now();
    await engine.close();
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it('carries hints between nodes, and the subscription answers when it is probed', async () => {
    const listening = await openEngine({ nodes });
    const sending = await openEngine({ nodes }, { namespace: listening.namespace });
    const heard = new Set<number>();
    listening.watch(({ index }) => heard.add(index));
    let round = 0;
    await expect
      .poll(async () => {
        await listening.topology('probe');
        round += 1;
        await Promise.all(
          regions.map((region) =>
            sending.put({ ...region, topic: `t${round}` }, [message('a')], { epoch: 1 }),
          ),
        );
        return heard.size;
      })
      .toBe(regions.length);
    expect(listening.log).toEqual(sending.log);
  });

  it('that loses a node goes on with the others, and with that one when it is back', async () => {
    const engine = await openEngine({ nodes });
    const outcomes = (): Promise<string[]> =>
      Promise.all(
        regions.map((region, i) =>
          engine
            .put({ ...region, index: i * 7 + Math.floor(performance.now()) }, [message('a')], { epoch: 1 })
            .then(
              () => 'stored',
              (error: unknown) => (error as { code: string }).code,
            ),
        ),
      );
    expect(new Set(await outcomes())).toEqual(new Set(['stored']));
    cluster.servers[1]?.signal('SIGKILL');
    await expect.poll(async () => new Set(await outcomes()).size, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(['UNAVAILABLE', 'TIMEOUT', 'stored']).toEqual(
      expect.arrayContaining([...new Set(await outcomes())]),
    );
    await cluster.servers[1]?.restart();
    await expect.poll(async () => [...new Set(await outcomes())], { timeout: 15_000 }).toEqual(['stored']);
  }, 40_000);
});
