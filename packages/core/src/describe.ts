/** A short, safe picture of any value for an error message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return `${Array.isArray(value) ? 'an array' : 'an object'} (${Object.prototype.toString.call(value)})`;
  } catch {
    return 'an object';
  }
}
