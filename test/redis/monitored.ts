import { Redis } from 'ioredis';
import { slotOf } from '../support/slot-of.js';
import { keysOf, type KeyPositions } from './script-keys.js';

/** A call as the server saw it: of a client, with what the script behind it called. */
export interface SeenCall {
  /** Its name and arguments. */
  readonly words: readonly string[];
  readonly inScript: readonly (readonly string[])[];
}

/** Writes down every call that a server gets, from now on; the server is the test's alone. */
export async function watchCalls(
  url: string,
): Promise<{ calls(): Promise<readonly SeenCall[]>; stop(): void }> {
  const client = new Redis(url);
  const monitor = await client.monitor();
  const calls: { words: string[]; inScript: string[][] }[] = [];
  monitor.on('monitor', (_time: string, words: string[], source: string) => {
    if (source === 'lua') calls.at(-1)?.inScript.push(words);
    else calls.push({ words, inScript: [] });
  });
  return {
    async calls() {
      // What the monitor has told of this was told of all before it.
      const end = `end ${calls.length}`;
      await client.echo(end);
      while (!calls.some(({ words }) => words[1] === end)) {
        await new Promise((resolve) => monitor.once('monitor', resolve));
      }
      return calls;
    },
    stop() {
      client.disconnect();
      monitor.disconnect();
    },
  };
}

/** What is wrong with a call in a Cluster: keys of several slots, or a script that touches a key it did not name. */
export function slotFaults(
  { words, inScript }: SeenCall,
  positions: ReadonlyMap<string, KeyPositions>,
): readonly string[] {
  const [command = '', , count = ''] = words;
  const isScript = /^eval(sha)?$/i.test(command);
  const keys = isScript ? words.slice(3, 3 + Number(count)) : keysOf(words, positions);
  if (keys === undefined) return [`nobody knows the keys of ${command}`];
  const faults: string[] = [];
  if (new Set(keys.map((key) => slotOf(key))).size > 1) faults.push(`several slots: ${keys.join(' ')}`);
  if (isScript && keys.length === 0) faults.push('a script without keys');
  for (const called of inScript) {
    for (const key of keysOf(called, positions) ?? [`the keys of ${called[0]}`]) {
      if (!keys.includes(key)) faults.push(`not named: ${key}`);
    }
  }
  return faults;
}
