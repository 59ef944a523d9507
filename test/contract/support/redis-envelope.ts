/** A stored version of a message, read by the documented form and not by the engine's own code. */
export interface Envelope {
  readonly dueAt: number;
  readonly sentAt: number;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads `<version><due, 11 hex><sent, 11 hex>[<headers as JSON>\n]<content>`; reports what is not of that form. */
export function readVersion(text: string, id: string, report: (violation: string) => void): Envelope {
  const match = /^([12])([0-9a-f]{11})([0-9a-f]{11})/.exec(text);
  if (match === null) {
    report(`the envelope of ${id} is ${JSON.stringify(text.slice(0, 40))}`);
    return { dueAt: -1, sentAt: -1, content: text, headers: {} };
  }
  const [head, version, due = '', sent = ''] = match;
  const body = text.slice(head.length);
  const times = { dueAt: Number.parseInt(due, 16), sentAt: Number.parseInt(sent, 16) };
  if (version === '1') return { ...times, content: body, headers: {} };
  const end = body.indexOf('\n');
  return {
    ...times,
    content: body.slice(end + 1),
    headers: JSON.parse(body.slice(0, end)) as Record<string, string>,
  };
}
