import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

/** A Redis server of the test's own, on a free port of the loopback, with its data in a folder of its own. */
export interface RedisServer {
  readonly port: number;
  readonly url: string;
  readonly dir: string;
  readonly process: ChildProcess;
  /** Sends a signal to the server process, `SIGKILL`, `SIGSTOP` and `SIGCONT` among them. */
  signal(name: NodeJS.Signals): void;
  /** Starts it again on the same port and data after it was stopped or killed. */
  restart(): Promise<void>;
  /** Ends it; `removeData` (default true) also deletes its folder. */
  stop(removeData?: boolean): Promise<void>;
}

/** Starts `redis-server` (from PATH) with extra `--name value` arguments; resolves when it answers PING. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'delay-queue-redis-'));
  const start = () => launch(port, dir, args);
  let child = await start();
  return {
    port,
    dir,
    url: `redis://127.0.0.1:${port}`,
    get process() {
      return child;
    },
    signal: (name) => child.kill(name),
    restart: async () => {
      await ended(child);
      child = await start();
    },
    stop: async (removeData = true) => {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await ended(child);
      if (removeData) await rm(dir, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port for a test server');
  return address.port;
}

const DEFAULTS = [
  '--save',
  '',
  '--appendonly',
  'no',
  '--bind',
  '127.0.0.1',
  '--maxmemory-policy',
  'noeviction',
];

async function launch(port: number, dir: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', ['--port', `${port}`, '--dir', dir, ...DEFAULTS, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${output}`)));
  });
  failed.catch(() => undefined);
  await Promise.race([answers(port), failed]);
  return child;
}

/** Resolves when the server on `port` has answered, with an error reply (NOAUTH, LOADING …) or without. */
async function answers(port: number): Promise<void> {
  const client = new Redis({
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: null,
    retryStrategy: () => 20,
  });
  client.on('error', () => undefined);
  try {
    await client.ping().catch((error: Error) => {
      if (!/^(NOAUTH|LOADING|NOPERM|MASTERDOWN)/.test(error.message)) throw error;
    });
  } finally {
    client.disconnect();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}
