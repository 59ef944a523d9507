const MAX_VISITS = 100_000;

/**
 * Where in `content` the first value stands that JSON cannot write, as `" (at content.items[3].price)"`; empty
 * where it is not found. Only called once writing has failed, so it may be slow, but it must never throw.
 */
export function lossyPath(content: unknown): string {
  let visits = 0;
  const open = new Set<object>();

  const search = (value: unknown, path: string): string | undefined => {
    if (typeof value === 'bigint') return path;
    if (typeof value !== 'object' || value === null || ++visits > MAX_VISITS) return undefined;
    if (open.has(value)) return path;
    open.add(value);
    for (const key of Object.keys(value)) {
      const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
      let member: unknown;
      try {
        member = (value as Record<string, unknown>)[key];
        const toJSON: unknown = (member as { toJSON?: unknown } | null | undefined)?.toJSON;
        if (typeof toJSON === 'function') member = toJSON.call(member, key);
      } catch {
        return at;
      }
      const found = search(member, at);
      if (found !== undefined) return found;
    }
    open.delete(value);
    return undefined;
  };

  try {
    const found = search(content, 'content');
    return found === undefined ? '' : ` (at ${found.length > 200 ? `${found.slice(0, 200)}…` : found})`;
  } catch {
    return ''; // nested too deeply, or a proxy that throws
  }
}
