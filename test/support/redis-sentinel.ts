import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { freePort, startRedis, type RedisServer } from './redis-server.js';

/** A master with one replica, watched by one Sentinel, which calls it `main`. */
export interface WatchedPair {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinelPort: number;
  stop(): Promise<void>;
}

/** Starts them on this machine, and waits until a failover is possible. */
export async function startWatchedPair(): Promise<WatchedPair> {
  const sync = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(sync);
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${master.port}`, ...sync]);
  const sentinelPort = await freePort();
  const config = join(master.dir, 'sentinel.conf');
  await writeFile(
    config,
    [
      `port ${sentinelPort}`,
      'bind 127.0.0.1',
      `dir ${master.dir}`,
      `sentinel monitor main 127.0.0.1 ${master.port} 1`,
      'sentinel down-after-milliseconds main 500',
      'sentinel failover-timeout main 3000',
    ].join('\n'),
  );
  const sentinel = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' });
  const client = new Redis({ port: sentinelPort, lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  await vi.waitFor(
    async () => {
      const state = String(await client.call('SENTINEL', 'replicas', 'main'));
      if (!state.includes(`${replica.port}`) || !state.includes('master-link-status,ok'))
        throw new Error(state);
    },
    { timeout: 25_000, interval: 100 },
  );
  client.disconnect();
  return {
    master,
    replica,
    sentinelPort,
    async stop() {
      sentinel.kill('SIGKILL');
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}
