/*
 * Checks the four packages as they would be published: node scripts/check-packages.mjs (needs a build).
 *
 * - publint and attw (profile esm-only: there is no CommonJS twin, `require` of ES modules loads the one build)
 * - `import()` and `require()` of the built entry give the same exports
 * - the pack holds dist, package.json, README and LICENSE and nothing else, and dist holds nothing without a source
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Where the fault is, and what it is. */
const faults = [];
for (const folder of ['core', 'memory', 'redis', 'nestjs']) await check(join(ROOT, 'packages', folder));
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(faults.length === 0 ? 'packages: all four are fit to publish\n' : '');
process.exitCode = faults.length === 0 ? 0 : 1;

async function check(dir) {
  const { name, files, exports } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  const complain = (what) => faults.push(`${name}: ${what}`);
  const entry = join(dir, exports['.'].default);
  if (!existsSync(entry)) return complain(`${exports['.'].default} is not built: npm run build`);

  tool('publint', ['run', dir, '--strict', '--pack', 'npm'], complain);
  tool('attw', ['--pack', dir, '--profile', 'esm-only', '--no-color', '--no-emoji'], complain);
  await checkLoading(entry, complain);
  checkPack(dir, files, complain);
}

/** Both ways of loading must work, and give one and the same module. */
async function checkLoading(entry, complain) {
  const imported = await import(entry);
  const required = require(entry);
  const names = Object.keys(imported);
  if (names.length === 0) complain('exports nothing');
  const differing = names.filter((exported) => imported[exported] !== required[exported]);
  if (differing.length > 0) complain(`import() and require() differ in ${differing.join(', ')}`);
}

function checkPack(dir, files, complain) {
  if (JSON.stringify(files) !== '["dist"]') complain(`files must be ["dist"], got ${JSON.stringify(files)}`);
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json'], { cwd: dir, encoding: 'utf8' });
  if (packed.status !== 0) return complain(`npm pack failed:\n${packed.stderr}`);
  const paths = JSON.parse(packed.stdout)[0].files.map((file) => file.path);
  for (const wanted of ['package.json', 'README.md', 'LICENSE']) {
    if (!paths.includes(wanted)) complain(`the pack lacks ${wanted}`);
  }
  const others = paths.filter(
    (path) => !/^(package\.json|README\.md|LICENSE|dist\/.+\.(js|d\.ts))$/.test(path),
  );
  if (others.length > 0) complain(`the pack holds ${others.join(', ')}`);
  const sources = new Set(readdirSync(join(dir, 'src'), { recursive: true, encoding: 'utf8' }));
  const orphans = paths
    .filter((path) => path.startsWith('dist/'))
    .filter((path) => !sources.has(path.slice('dist/'.length).replace(/\.(d\.ts|js)$/, '.ts')));
  if (orphans.length > 0) {
    complain(
      `dist holds ${orphans.join(', ')} without a source: delete ${join(dir, 'dist')} and build again`,
    );
  }
}

/** Runs a tool of node_modules/.bin; what it printed is the fault when it fails. */
function tool(command, args, complain) {
  const bin = join(ROOT, 'node_modules', '.bin', command);
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) complain(`${command} says\n${stdout}${stderr}`);
}
