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
  /** Waits until a failover is possible: the replica, whichever it is now, has all, and Sentinel knows it. */
  ready(): Promise<void>;
  /** The port of the master that Sentinel tells clients. */
  masterPort(): Promise<number>;
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
      // On a busy machine a server may be silent for a second, and nobody wants a failover of Sentinel's own.
      'sentinel down-after-milliseconds main 3000',
      'sentinel failover-timeout main 3000',
    ].join('\n'),
  );
  const sentinel = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' });
  const client = new Redis({ port: sentinelPort, lazyConnect: true, retryStrategy: () => 50 });
  client.on('error', () => undefined);
  const ready = () =>
    vi.waitFor(
      async () => {
        const [fields = []] = (await client.call('SENTINEL', 'replicas', 'main')) as string[][];
        const field = (name: string) => fields[fields.indexOf(name) + 1];
        if (field('flags') !== 'slave' || field('master-link-status') !== 'ok')
          throw new Error(String(fields));
      },
      { timeout: 25_000, interval: 100 },
    );
  await ready();
  return {
    master,
    replica,
    sentinelPort,
    ready,
    async masterPort() {
      const [, port] = (await client.call('SENTINEL', 'get-master-addr-by-name', 'main')) as string[];
      return Number(port);
    },
    async stop() {
      client.disconnect();
      sentinel.kill('SIGKILL');
      await Promise.all([master.stop(), replica.stop()]);
    },
  };
}
