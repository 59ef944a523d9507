const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether the text survives UTF-8: no surrogate stands alone. */
export const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

/** Whether the text has control characters (C0, DEL or C1), which break logs, dashboards and keys. */
export const hasControlCharacters = (text: string): boolean => CONTROL.test(text);

/** Whether the text takes more than `limit` bytes in UTF-8; counts only where its length leaves a doubt. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
