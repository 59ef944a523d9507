import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of `consumer.mjs`, `producer.mjs` and the other programs. */
    programs: string;
  }
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CACHE = `${ROOT}node_modules/.cache`;
const PROGRAMS = 'test/faults/programs';

/**
 * Vitest's global set-up: `programs/*.ts` as JavaScript with the packages' sources in it, so that a process starts
 * fast and runs no older build. What is installed stays outside.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await mkdir(CACHE, { recursive: true });
  const outDir = await mkdtemp(`${CACHE}/delay-queue-faults-`);
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    resolve: { conditions: ['@delay-queue/source', 'node', 'import', 'module', 'default'] },
    ssr: {
      resolve: { conditions: ['@delay-queue/source', 'node', 'import', 'module', 'default'] },
      noExternal: [/^@delay-queue\//],
    },
    build: {
      ssr: true,
      target: 'node20',
      outDir,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: (await readdir(`${ROOT}${PROGRAMS}`)).map((file) => `${PROGRAMS}/${file}`),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs', keepNames: true },
      },
    },
  });
  project.provide('programs', outDir);
  return () => rm(outDir, { recursive: true, force: true });
}
