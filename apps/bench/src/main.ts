import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import type { Figure } from './figure.js';
import { drain } from './parts/drain.js';
import { idle } from './parts/idle.js';
import { lateness } from './parts/lateness.js';
import { memory } from './parts/memory.js';
import { sends } from './parts/sends.js';
import { startRedis } from './redis-server.js';
import { runRound } from './run-round.js';
import { FULL, QUICK } from './sizes.js';
import { table } from './table.js';
import type { Target } from './target.js';

const PARTS = { sends, drain, lateness, idle, memory } as const;
const USAGE = `npm run bench -- [--quick] [--assert] [--json <file>] [--profile <folder>] [${Object.keys(PARTS).join('] [')}]

Without names all parts run. --assert exits with 1 where a target is missed. --json writes the figures to the
file, as [{ name, unit, ours, peer, peerName, ratio }]. --profile writes a CPU profile of each round's process to the
folder.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    assert: { type: 'boolean', default: false },
    json: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const isPart = (name: string): name is keyof typeof PARTS => name in PARTS;

if (values.help || !positionals.every(isPart)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const names = positionals.length === 0 ? Object.keys(PARTS).filter(isPart) : positionals;
  const figures: Figure[] = [];
  const targets = await measure(names, figures);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  const missed = targets.filter((target) => !target.met);
  const rows = targets.map(({ what, figure, wanted, met }) => [what, figure, wanted, met ? 'met' : 'MISSED']);
  console.log(`\nTargets\n${table([['', 'figure', 'target', ''], ...rows])}`);
  if (values.assert && missed.length > 0) process.exitCode = 1;
}

async function measure(names: readonly (keyof typeof PARTS)[], figures: Figure[]): Promise<Target[]> {
  const redis = await startRedis();
  try {
    const bench: Bench = {
      sizes: values.quick ? QUICK : FULL,
      run: (name, input) => runRound(name, { ...input, redisPort: redis.port }, values.profile),
      print: (text) => console.log(text),
      record: (figure) => void figures.push(figure),
    };
    bench.print(conditions(redis.version));
    const targets: Target[] = [];
    for (const name of names) targets.push(...(await PARTS[name](bench)));
    return targets;
  } finally {
    await redis.stop();
  }
}

/** Where and how it is measured. */
function conditions(redisVersion: string): string {
  const { version: bullmq } = createRequire(import.meta.url)('bullmq/package.json') as { version: string };
  return `Redis ${redisVersion}, Node ${process.versions.node}, BullMQ ${bullmq}, ${cpus().length} x ${cpus()[0]?.model}
Redis runs here without persistence. Each round has a process of its own and an emptied Redis; contenders take turns;
medians of the rounds. BullMQ: removeOnComplete and removeOnFail, ioredis, one queue, one worker; its overdue jobs are
added with a delay of 1 ms (addBulk) while no worker runs, ours likewise. Both sides warm up in the same process.`;
}
