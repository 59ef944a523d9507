import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES } from '@delay-queue/core';
import { HINT_CHANNEL, NAMESPACE_KEYS, REGION_KEYS } from '@delay-queue/redis';
import { describe, expect, test } from 'vitest';

const page = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8');

/** The rows of a Markdown page's tables whose first cell is code, as lists of trimmed cells. */
const rows = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm)].map(([, first, rest]) => [
    first,
    ...`${rest}`.split('|').map((cell) => cell.trim()),
  ]);

describe('the pages in docs/', () => {
  test('errors.md lists exactly the codes of the table', async () => {
    const codes = rows(await page('errors.md')).map(([code]) => code);
    expect(codes.sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  test('redis-keys.md lists exactly the keys of the engine, with type and content', async () => {
    const text = await page('redis-keys.md');
    const keys = [...Object.values(REGION_KEYS), ...Object.values(NAMESPACE_KEYS)];
    expect(rows(text)).toEqual(keys.map(({ name, type, holds }) => [name, type, holds]));
    expect(text).toContain(`\`${HINT_CHANNEL.name}\``);
  });
});
