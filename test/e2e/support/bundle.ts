import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OUT_DIR = `${ROOT}node_modules/.cache/delay-queue-programs`;
const bundles = new Map<string, Promise<string>>();

/**
 * The path of `programs/<name>.ts` as one JavaScript file with the packages' sources in it: a process starts it
 * in a fraction of the time that compiling on the fly takes, and it cannot be an older build. Made once per test
 * file; what is installed stays outside.
 */
export function bundled(name: string): Promise<string> {
  const bundle = bundles.get(name) ?? make(name);
  bundles.set(name, bundle);
  return bundle;
}

async function make(name: string): Promise<string> {
  // Of the test worker's own, in case two test files make the same program; made anew by the next run.
  const file = `${name}-${process.env['VITEST_POOL_ID'] ?? 'alone'}.mjs`;
  const conditions = ['@delay-queue/source', 'node', 'import', 'module', 'default'];
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
    resolve: { conditions },
    ssr: { resolve: { conditions }, noExternal: [/^@delay-queue\//] },
    build: {
      ssr: `test/e2e/programs/${name}.ts`,
      target: 'node20',
      outDir: OUT_DIR,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: file, keepNames: true } },
    },
  });
  return `${OUT_DIR}/${file}`;
}
