import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';

/** The Redis that the benchmark starts for itself. */
export interface BenchRedis {
  readonly port: number;
  readonly version: string;
  /** Removes everything. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a redis-server (from the PATH) without persistence, on a free port of the loopback. */
export async function startRedis(): Promise<BenchRedis> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'delay-queue-bench-'));
  const settings = [
    '--port',
    `${port}`,
    '--dir',
    dir,
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const server = spawn('redis-server', settings, { stdio: 'ignore' });
  const failed = once(server, 'error').then(([error]) => Promise.reject(error as Error));
  const client = new Redis({ port, maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', () => undefined);
  const info = await Promise.race([client.info('server'), failed]);
  return {
    port,
    version: /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown',
    empty: async () => void (await client.flushall()),
    async stop() {
      client.disconnect();
      if (server.kill()) await once(server, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
