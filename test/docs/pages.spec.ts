import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ERROR_CODES } from '@delay-queue/core';
import { describe, expect, test } from 'vitest';

const page = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8');

/** The first cells of a Markdown page's tables, without back-ticks. */
const firstCells = (text: string) => [...text.matchAll(/^\| `([^`]+)` +\|/gm)].map((match) => match[1]);

describe('the pages in docs/', () => {
  test('errors.md lists exactly the codes of the table', async () => {
    expect(firstCells(await page('errors.md')).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });
});
