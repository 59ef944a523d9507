import { readdir } from 'node:fs/promises';
import type { Script } from '../../packages/redis/src/script.js';

const FOLDER = new URL('../../packages/redis/src/scripts/', import.meta.url);

/** Every script of the engine. */
export async function allScripts(): Promise<readonly Script[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.ts'));
  const found = files.map(async (name) => {
    const exports = (await import(new URL(name, FOLDER).href)) as Record<string, unknown>;
    return Object.values(exports).filter(isScript);
  });
  return (await Promise.all(found)).flat();
}

const isScript = (value: unknown): value is Script =>
  typeof value === 'object' && value !== null && 'lua' in value && 'sha' in value;
