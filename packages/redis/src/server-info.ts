import type { SingleClient } from './connections/redis-client.js';
import { messageOf } from './redis-errors.js';

/** What a server tells about itself; absent where the user may not ask. */
export interface ServerInfo {
  readonly version?: string;
  readonly evictionPolicy?: string;
  readonly appendOnly?: boolean;
  /** The schedule of snapshots, empty: none. */
  readonly snapshots?: string;
  readonly loading: boolean;
  /** Commands that were denied. */
  readonly denied: readonly string[];
}

/** Asks a server about itself. Rejects only if it does not answer. */
export async function readServerInfo(client: SingleClient): Promise<ServerInfo> {
  const denied: string[] = [];
  const ask = async (command: string, args: string[]): Promise<unknown> => {
    try {
      return await client.call(command, args);
    } catch (error) {
      // Managed services rename or remove commands: they are unknown then, and as good as denied.
      if (!/^NOPERM|^ERR unknown|^ERR Unsupported/i.test(messageOf(error))) throw error;
      denied.push([command, ...args.slice(0, 1)].join(' ').toUpperCase());
      return undefined;
    }
  };
  const info = await ask('info', []);
  const save = await ask('config', ['get', 'save']);
  const field = (name: string): string | undefined =>
    typeof info === 'string' ? new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] : undefined;
  const version = field('redis_version');
  const evictionPolicy = field('maxmemory_policy');
  const appendOnly = field('aof_enabled');
  const snapshots: unknown = Array.isArray(save) ? save[1] : undefined;
  return {
    ...(version === undefined ? {} : { version }),
    ...(evictionPolicy === undefined ? {} : { evictionPolicy }),
    ...(appendOnly === undefined ? {} : { appendOnly: appendOnly === '1' }),
    ...(typeof snapshots === 'string' ? { snapshots } : {}),
    loading: field('loading') === '1',
    denied,
  };
}
