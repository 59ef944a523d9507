/*
 * Proves that the contract suite and the model-based test would notice: puts one deliberate fault after the
 * other into the engines as the tests load them (the files stay as they are) and demands that a test fails.
 *
 *   npm run test:mutations [-- <part of a name or file> …]
 *
 * Fails when a fault survives, when a fragment is not found exactly once, and when the suites fail without any
 * fault. MUTATION_JOBS (default: one per processor, at most 4) sets how many run at once.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { MEMORY_MUTATIONS } from './mutations/memory.mjs';
import { REDIS_MUTATIONS } from './mutations/redis.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const JOBS = Number(process.env.MUTATION_JOBS ?? Math.min(4, availableParallelism()));

/** After so long a run hangs, which counts as noticed. */
const LONGEST_MS = 150_000;

/** The reduced form of the suites: fewer rounds of the long tests, short random runs, no shrinking. */
const FAST = { CONTRACT_SCALE: '0.05', MODEL_RUNS: '30', MODEL_SHRINK: '0', NO_COLOR: '1' };
const SUITES = {
  redis: ['test/contract/redis', 'test/model/redis.spec.ts'],
  memory: ['test/contract/memory.spec.ts', 'test/model/memory.spec.ts'],
};

const started = Date.now();
const wanted = process.argv.slice(2);
const all = [
  ...REDIS_MUTATIONS.map((mutation) => ({ ...mutation, engine: 'redis' })),
  ...MEMORY_MUTATIONS.map((mutation) => ({ ...mutation, engine: 'memory' })),
];
const chosen = all.filter(
  ({ name, file }) =>
    wanted.length === 0 || wanted.some((part) => name.includes(part) || file.includes(part)),
);

const missing = chosen.filter(({ file, find }) => readFileSync(ROOT + file, 'utf8').split(find).length !== 2);
const problems = missing.map(({ name, file }) => `fragment not found exactly once in ${file}: ${name}`);
if (chosen.length === 0) problems.push('no mutation has such a name or file');
if (problems.length === 0) await runAll();
for (const problem of problems) console.error(problem);
console.log(`${chosen.length} mutations, ${problems.length} problems, ${seconds()} s`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function runAll() {
  for (const engine of new Set(chosen.map((mutation) => mutation.engine))) {
    const { failed, output } = await runSuites(engine);
    if (!failed) continue;
    problems.push(`the ${engine} suites fail without any mutation:\n${output.slice(-4_000)}`);
    return;
  }
  const queue = [...chosen];
  await Promise.all(
    Array.from({ length: JOBS }, async () => {
      for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift())
        await judge(mutation);
    }),
  );
}

async function judge(mutation) {
  const from = Date.now();
  const { failed, output } = await runSuites(mutation.engine, mutation);
  const verdict = read(failed, output);
  if (verdict !== 'killed') problems.push(`${verdict}: ${mutation.name} (${mutation.file})`);
  const by = /FAIL\s+(?:\|\S+\| )?(.*)/.exec(output)?.[1] ?? '';
  console.log(
    `${verdict.padEnd(9)} ${`${Math.round((Date.now() - from) / 1000)}`.padStart(3)} s  ${mutation.name}  ←  ${by}`,
  );
}

/** A test must have failed, and for what the mutation does, not because the script is none any more. */
function read(failed, output) {
  if (!output.includes('MUTATED')) return 'not applied';
  if (/Error compiling script|Transform failed|SyntaxError/.test(output)) return 'broken';
  if (!failed) return 'SURVIVED';
  return /FAIL\s/.test(output) ? 'killed' : 'broken';
}

function runSuites(engine, mutation) {
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'scripts/mutations/vitest.mutation.config.ts',
  ];
  const child = spawn(
    process.execPath,
    [...args, '--root', '.', '--bail', '1', '--maxWorkers', '1', ...SUITES[engine]],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        ...FAST,
        ...(mutation === undefined ? {} : { MUTATION: JSON.stringify(mutation) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that what hangs can be ended with its Redis servers.
      detached: true,
    },
  );
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      output += `\nFAIL  nothing: it hung for ${LONGEST_MS / 1000} s\n`;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, LONGEST_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ failed: code !== 0, output });
    });
  });
}

function seconds() {
  return Math.round((Date.now() - started) / 1000);
}
