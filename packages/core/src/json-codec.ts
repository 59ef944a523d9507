import { types } from 'node:util';
import type { Codec } from './codec.js';
import { clip, reasonText } from './reason-text.js';
import { describe } from './describe.js';
import { DelayQueueError } from './errors.js';
import { lossyPath } from './lossy-path.js';

/**
 * The default codec: JSON, by JSON's rules (a Date becomes text, NaN becomes null, `undefined` members vanish).
 *
 * What would be lost as a whole is refused: at the top `undefined`, functions, symbols, BigInts, Buffers, typed
 * arrays, Maps, Sets, Errors, RegExps, promises, NaN and Infinity; anywhere BigInts, cycles and getters or `toJSON` that throw. Text with lone
 * surrogates survives (JSON escapes them).
 */
export const jsonCodec: Codec = {
  encode(content) {
    const refused = refusal(content);
    if (refused !== undefined) throw invalid(refused);
    let text: string | undefined;
    try {
      text = JSON.stringify(content);
    } catch (error) {
      throw invalid(`cannot be written as JSON${lossyPath(content)}: ${clip(reasonText(error), 500)}`, error);
    }
    if (text === undefined) throw invalid(`must not be ${describe(content)}`);
    return text;
  },
  decode(text) {
    return JSON.parse(text) as unknown;
  },
};

/** Why a value that JSON would take silently must not be taken. */
function refusal(content: unknown): string | undefined {
  if (typeof content === 'bigint') return 'must not be a BigInt; send it as text';
  if (typeof content === 'number' && !Number.isFinite(content))
    return `must not be ${content}, which JSON makes null`;
  if (typeof content !== 'object' || content === null || isPlain(content)) return undefined;
  if (types.isMap(content) || types.isSet(content)) {
    return 'must not be a Map or a Set, which JSON empties; send an array of its entries';
  }
  if (ArrayBuffer.isView(content) || types.isAnyArrayBuffer(content)) {
    return 'must not be a Buffer or another binary value; send it as text, for example in base64';
  }
  if (types.isNativeError(content) || types.isRegExp(content)) {
    return 'must not be an Error or a RegExp, which JSON empties; send its text';
  }
  return types.isPromise(content) ? 'must not be a promise; await it first' : undefined;
}

function isPlain(content: object): boolean {
  try {
    const prototype: unknown = Object.getPrototypeOf(content);
    return prototype === Object.prototype || prototype === Array.prototype;
  } catch {
    return true;
  }
}

const invalid = (why: string, cause?: unknown): DelayQueueError =>
  new DelayQueueError('INVALID_CONTENT', `content ${why}`, { cause });
