import { readFileSync } from 'node:fs';
import { mergeConfig, defineConfig } from 'vitest/config';
import base from '../../vitest.config.js';

const { MUTATION } = process.env;
const { file, find, replace } =
  MUTATION === undefined
    ? { file: undefined, find: '', replace: '' }
    : (JSON.parse(MUTATION) as { file: string; find: string; replace: string });

/** The tests' own configuration, with one fragment of one source file replaced as it is loaded. */
export default mergeConfig(
  base,
  defineConfig({
    plugins: [
      {
        name: 'mutation',
        enforce: 'pre',
        load(id) {
          if (file === undefined || !id.split('?')[0]?.endsWith(file)) return undefined;
          const source = readFileSync(id.split('?')[0] ?? id, 'utf8');
          const parts = source.split(find);
          if (parts.length !== 2) throw new Error(`the fragment occurs ${parts.length - 1} times in ${file}`);
          process.stderr.write('MUTATED\n');
          return parts.join(replace);
        },
      },
    ],
  }),
);
