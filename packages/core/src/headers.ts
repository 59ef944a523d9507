import { describe } from './describe.js';
import { DelayQueueError } from './errors.js';
import { readable } from './readable.js';
import { isWellFormed } from './text-check.js';

const MAX_HEADERS_BYTES = 8_192;

/**
 * A checked copy of the headers of a send; `undefined` where there are none.
 *
 * A plain object whose own keys and values are well-formed strings, 8 KiB (UTF-8) together. Names are never looked
 * up on a prototype, so `__proto__` is a name like any other.
 *
 * @throws DelayQueueError INVALID_CONTENT
 */
export function readHeaders(headers: unknown): Readonly<Record<string, string>> | undefined {
  return headers === undefined ? undefined : readable('headers', 'INVALID_CONTENT', () => checked(headers));
}

function checked(headers: unknown): Readonly<Record<string, string>> | undefined {
  if (!isPlainObject(headers)) throw invalid('must be a plain object of strings', headers);
  let bytes = 0;
  const entries: [string, string][] = [];
  for (const name of Reflect.ownKeys(headers)) {
    if (typeof name !== 'string') throw invalid('must have strings as names', name);
    const value = read(headers, name);
    if (typeof value !== 'string') throw invalid(`must have strings as values, also '${name}'`, value);
    if (!isWellFormed(name) || !isWellFormed(value)) {
      throw invalid(`must be well-formed text, also '${name}'`, value);
    }
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (bytes > MAX_HEADERS_BYTES) throw invalid(`must not exceed ${MAX_HEADERS_BYTES} bytes`, headers);
    entries.push([name, value]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const prototype = Object.getPrototypeOf(value) as object | null;
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}

function read(headers: object, name: string): unknown {
  try {
    return (headers as Record<string, unknown>)[name];
  } catch (error) {
    throw new DelayQueueError('INVALID_CONTENT', `reading header '${name}' failed`, { cause: error });
  }
}

const invalid = (rule: string, got: unknown): DelayQueueError =>
  new DelayQueueError('INVALID_CONTENT', `headers ${rule}; got ${describe(got)}`);
