/** The most bytes of UTF-8 a dead letter's reason takes. */
export const MAX_REASON_BYTES = 1_024;

/**
 * A readable line or two of at most 1 KiB (UTF-8) for anything that can be thrown: `undefined`, errors with
 * cycles or throwing getters, messages of megabytes. Never throws and never returns nothing.
 */
export function reasonText(thrown: unknown): string {
  return clip(read(thrown).trim() || 'no reason given', MAX_REASON_BYTES);
}

/** The stack of an error, bounded for a log line; `undefined` where there is none to read. */
export function stackText(thrown: unknown): string | undefined {
  const stack = field(thrown, 'stack');
  return typeof stack === 'string' ? clip(stack, 4 * MAX_REASON_BYTES) : undefined;
}

/** `text` as well-formed text without null characters, cut to at most `most` bytes of UTF-8 at a character. */
export function clip(text: string, most: number): string {
  // A slice first: what comes after `most` code units cannot fit, and may be megabytes. The way through a Buffer
  // replaces lone surrogates, which some stores would refuse or change.
  const short = Buffer.from(text.slice(0, most).replaceAll('\0', '')).toString();
  if (text.length <= most && Buffer.byteLength(short) <= most) return short;
  const room = most - 3; // the ellipsis
  let bytes = 0;
  let end = 0;
  for (const character of short) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    end += character.length;
  }
  return `${short.slice(0, end)}…`;
}

function read(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown === 'function') return 'a function was thrown';
  if (typeof thrown !== 'object' || thrown === null) return `${String(thrown)} was thrown`;
  const message = field(thrown, 'message');
  const name = field(thrown, 'name');
  if (typeof message === 'string' && message !== '') {
    return typeof name === 'string' && name !== '' && name !== 'Error'
      ? `${name.slice(0, 100)}: ${message}`
      : message;
  }
  if (typeof name === 'string' && name !== '') return name;
  return json(thrown) ?? 'an object that cannot be read was thrown';
}

/** A property of anything; `undefined` where reading it throws. */
export function field(value: unknown, name: string): unknown {
  try {
    return (value as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

function json(value: object): string | undefined {
  try {
    const text: unknown = JSON.stringify(value);
    return typeof text === 'string' ? `${text} was thrown` : undefined;
  } catch {
    return undefined;
  }
}
