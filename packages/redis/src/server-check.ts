import { DelayQueueError, type Clock } from '@delay-queue/core';
import type { Connection } from './connections/connection.js';
import { masters } from './connections/redis-client.js';
import { checkDurability } from './check-durability.js';
import type { Durability } from './durability.js';
import type { Keys } from './keys.js';
import { commandError, unavailable } from './redis-errors.js';
import { scriptRunner, scriptTarget } from './script-runner.js';
import { renew } from './scripts/renew.js';
import { topology } from './scripts/topology.js';
import { readServerInfo, type ServerInfo } from './server-info.js';

/** The oldest version that has every command used: SMISMEMBER, ZMSCORE and ZRANGE … BYSCORE came with it. */
const OLDEST_VERSION = '6.2';

/**
 * Checks every master behind a connection; resolves with what is wrong but can be lived with.
 *
 * @throws DelayQueueError UNSAFE_REDIS for a server that is too old; UNAVAILABLE if it is away, or refuses the
 * login or a right that the queue cannot do without
 */
export async function checkServer(
  connection: Connection,
  keys: Keys,
  clock: Clock,
  durability?: Durability,
): Promise<readonly string[]> {
  const problems = new Set<string>();
  const client = await connection.ready();
  for (const master of masters(client)) {
    let info: ServerInfo;
    try {
      info = await readServerInfo(master);
    } catch (error) {
      throw commandError(error, 'INFO', connection.lastError);
    }
    if (info.loading) throw unavailable(new Error('Redis is loading its data'), 'the check at boot');
    for (const problem of judge(info)) problems.add(problem);
    if (durability !== undefined)
      for (const problem of await checkDurability(master, durability)) problems.add(problem);
  }
  const run = scriptRunner(connection, clock);
  await topology(run, keys.topics, '');
  await renew(scriptTarget(run, keys, { topic: '', index: 0 }), [], 0);
  return [...problems];
}

/** What is wrong with a server. */
export function judge(info: ServerInfo): readonly string[] {
  const problems: string[] = [];
  if (info.version !== undefined && isOlder(info.version, OLDEST_VERSION)) {
    throw new DelayQueueError(
      'UNSAFE_REDIS',
      `Redis ${OLDEST_VERSION} or newer is needed; this one is ${info.version}`,
    );
  }
  if (info.denied.length > 0 && info.appendOnly !== true) {
    problems.push(
      `the Redis user may not call ${info.denied.join(' and ')}, so it is not known whether this Redis keeps messages safe`,
    );
  }
  if (info.evictionPolicy !== undefined && info.evictionPolicy !== 'noeviction') {
    problems.push(
      `maxmemory-policy is '${info.evictionPolicy}': when memory runs short Redis may delete messages; set 'noeviction'`,
    );
  }
  if (info.appendOnly === false && info.snapshots === '') {
    problems.push(
      'neither appendonly nor snapshots are on: a restart of Redis loses all messages; set appendonly yes',
    );
  }
  return problems;
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}
