import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

/** The PostgreSQL that the benchmark starts for itself. */
export interface BenchPostgres {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Where Debian's package puts what is not on the PATH. */
const DEBIAN = '/usr/lib/postgresql';
/** PostgreSQL refuses to run as root; Debian's package makes this user. */
const USER = 'postgres';
/** Nothing waits for the disk: Redis does not here either. */
const NOT_DURABLE = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const TUNED = ['shared_buffers=1GB', 'max_wal_size=4GB'];

/** Starts one without durability on a free port of the loopback. */
export async function startPostgres(): Promise<BenchPostgres> {
  const port = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'delay-queue-bench-postgres-'));
  const user = process.getuid?.() === 0 ? userIds() : undefined;
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, 'data');
  const made = spawnSync(program('initdb'), ['-D', data, '-U', USER, '-A', 'trust', '-N'], {
    cwd: dir,
    ...user,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr.toString()}`);
  const settings = [...NOT_DURABLE, ...TUNED].flatMap((setting) => ['-c', setting]);
  const args = ['-D', data, '-p', `${port}`, '-k', dir, '-c', 'listen_addresses=127.0.0.1', ...settings];
  const server = spawn(program('postgres'), args, { cwd: dir, stdio: 'ignore', ...user });
  await ready(port, server);
  return {
    url: `postgres://${USER}@127.0.0.1:${port}/postgres`,
    version:
      /\d+(\.\d+)*/.exec(spawnSync(program('postgres'), ['--version']).stdout.toString())?.[0] ?? 'unknown',
    async stop() {
      // Ends at once, connections or not.
      if (server.kill('SIGINT')) await once(server, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function ready(port: number, server: ReturnType<typeof spawn>): Promise<void> {
  const probe = ['-h', '127.0.0.1', '-p', `${port}`, '-q'];
  while (spawnSync(program('pg_isready'), probe).status !== 0) {
    if (server.exitCode !== null) throw new Error(`postgres ended with code ${server.exitCode}`);
  }
}

function program(name: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return versions[0] === undefined ? name : join(DEBIAN, versions[0], 'bin', name);
}

function userIds(): { readonly uid: number; readonly gid: number } {
  const id = (kind: '-u' | '-g'): number => Number(spawnSync('id', [kind, USER]).stdout.toString());
  return { uid: id('-u'), gid: id('-g') };
}
