import { createHash } from 'node:crypto';

/** A Lua script with its address in Redis's script cache. */
export interface Script {
  /** For error messages. */
  readonly name: string;
  readonly lua: string;
  readonly sha: string;
  /** Texts in its reply come as bytes. */
  readonly binary: boolean;
}

/** Makes a script of its Lua text. */
export function defineScript(name: string, lua: string, { binary = false } = {}): Script {
  return { name, lua, sha: createHash('sha1').update(lua).digest('hex'), binary };
}
