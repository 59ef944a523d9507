import type { Redis } from 'ioredis';
import { EACH, EARLIEST } from '../../packages/redis/src/scripts/lua.js';

/** Which arguments of a command are keys, counted from its name on; `last` -1: all that follow. No keys: `first` 0. */
export interface KeyPositions {
  readonly first: number;
  readonly last: number;
}

/** Where a server expects the keys of its commands, by their upper-case names. */
export async function keyPositions(redis: Redis): Promise<ReadonlyMap<string, KeyPositions>> {
  const commands = (await redis.call('COMMAND')) as [string, number, string[], number, number, number][];
  const positions = new Map<string, KeyPositions>();
  for (const [name, , flags, first, last, step] of commands) {
    // Keys that are not simply next to each other are seen by nobody but the server.
    if (!flags.includes('movablekeys') && step <= 1) positions.set(name.toUpperCase(), { first, last });
  }
  return positions;
}

/** The keys of a command, its name first. Undefined: nobody can tell. */
export function keysOf(
  words: readonly string[],
  positions: ReadonlyMap<string, KeyPositions>,
): readonly string[] | undefined {
  const found = positions.get((words[0] ?? '').toUpperCase());
  if (found === undefined) return undefined;
  const { first, last } = found;
  return first === 0 ? [] : words.slice(first, last < 0 ? undefined : last + 1);
}

/**
 * What a script touches that is not plainly one of its KEYS, each as it stands in the text. A key is `KEYS[n]` or a
 * local that is never anything else; a command is a literal.
 */
export function undeclaredKeys(lua: string, positions: ReadonlyMap<string, KeyPositions>): readonly string[] {
  const text = writtenOut(lua);
  const names = keyNames(text);
  const wrong: string[] = [];
  for (const { index } of text.matchAll(/\bredis\b/g)) {
    const open = /^redis\.p?call\(/.exec(text.slice(index))?.[0];
    if (open === undefined) {
      wrong.push(text.slice(index, index + 30));
      continue;
    }
    const words = expressions(text, index + open.length);
    const keys = keysOf([/^'(\w+)'$/.exec(words[0] ?? '')?.[1] ?? '', ...words.slice(1)], positions);
    if (keys === undefined) wrong.push(words.join(', '));
    else wrong.push(...keys.filter((key) => !/^KEYS\[\d+\]$/.test(key) && !names.has(key)));
  }
  return wrong;
}

/** The text with its two helpers in place, so that each command stands beside its key. */
function writtenOut(lua: string): string {
  return lua
    .replace(EACH, '')
    .replace(EARLIEST, '')
    .replaceAll(/\beach\(/g, 'redis.call(')
    .replaceAll(/\bearliest\(/g, "redis.call('ZRANGE', ");
}

/** Names that always stand for a key. */
function keyNames(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  const others = new Set<string>();
  const list = (names = '') => names.split(',').map((name) => name.trim());
  for (const match of text.matchAll(/(?<![\w.\]])(\w+(?:, *\w+)*)\s*=(?!=)\s*/g)) {
    const values = expressions(text, match.index + match[0].length);
    const names = list(match[1]?.replace(/^.*\b(?:local|for) /s, ''));
    names.forEach((name, i) => (/^KEYS\[\d+\]$/.test(values[i] ?? '') ? keys : others).add(name));
  }
  for (const [, names] of text.matchAll(/\bfor ([\w, ]+) in\b/g))
    list(names).forEach((name) => others.add(name));
  for (const [, names] of text.matchAll(/\bfunction\b[^()]*\(([\w, ]*)\)/g)) {
    list(names).forEach((name) => others.add(name));
  }
  for (const name of others) keys.delete(name);
  return keys;
}

/** The expressions from a place on, split at their commas, up to the end of the line or of their bracket. */
function expressions(text: string, from: number): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at <= text.length; at++) {
    const char = text[at] ?? '\n';
    if (char === "'") at = text.indexOf("'", at + 1);
    else if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    const ends = depth < 0 || (depth === 0 && char === '\n');
    if (ends || (depth === 0 && char === ',')) {
      found.push(text.slice(start, at).trim());
      start = at + 1;
    }
    if (ends) break;
  }
  return found;
}
