/*
 * The stored form of a message, compact on purpose (a JSON envelope costs a tenth more memory): one version
 * byte, due and sent time as 11 hex digits each, then
 *   version 1: the content;
 *   version 2: the headers as a JSON object, a line feed (JSON has none inside), the content.
 * The scripts write version byte and times and know only their places; the rest is opaque to them.
 */

/** Envelope versions that this package writes and reads. */
export type EnvelopeVersion = '1' | '2';

const TIME_DIGITS = 11;
const SENT_FROM = 1 + TIME_DIGITS;
const BODY_FROM = SENT_FROM + TIME_DIGITS;

/** What an envelope says. */
export interface Envelope {
  readonly dueAt: number;
  readonly sentAt: number;
  readonly content: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The version in which such a message is written. */
export function envelopeVersion(headers: Readonly<Record<string, string>> | undefined): EnvelopeVersion {
  return headers === undefined ? '1' : '2';
}

/** The part of an envelope after version and times. */
export function envelopeBody(content: string, headers: Readonly<Record<string, string>> | undefined): string {
  return headers === undefined ? content : `${JSON.stringify(headers)}\n${content}`;
}

/**
 * Reads an envelope; `undefined` if it is not in a form this package knows, because a newer version of it, or
 * somebody else, wrote it.
 */
export function readEnvelope(text: string): Envelope | undefined {
  const version = text.charAt(0);
  const dueAt = readTime(text, 1);
  const sentAt = readTime(text, SENT_FROM);
  if (version === '1') return { dueAt, sentAt, content: text.slice(BODY_FROM) };
  if (version !== '2') return undefined;
  const end = text.indexOf('\n', BODY_FROM);
  const headers = readHeaders(text.slice(BODY_FROM, end));
  return headers === undefined ? undefined : { dueAt, sentAt, content: text.slice(end + 1), headers };
}

/** What `parseInt` of the slice would give, at a fraction of the cost. The digits are lower case, as Lua writes them. */
function readTime(text: string, from: number): number {
  let time = 0;
  for (let i = from; i < from + TIME_DIGITS; i++) {
    const code = text.charCodeAt(i);
    time = time * 16 + (code < 58 ? code - 48 : code - 87);
  }
  return time;
}

function readHeaders(json: string): Record<string, string> | undefined {
  try {
    return JSON.parse(json) as Record<string, string>;
  } catch {
    return undefined;
  }
}
