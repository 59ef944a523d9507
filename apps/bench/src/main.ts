import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import type { Figure } from './figure.js';
import { changes } from './parts/changes.js';
import { drain } from './parts/drain.js';
import { fleet } from './parts/fleet.js';
import { growth } from './parts/growth.js';
import { idle } from './parts/idle.js';
import { lateness } from './parts/lateness.js';
import { memory } from './parts/memory.js';
import { pgBoss } from './parts/pg-boss.js';
import { processes } from './parts/processes.js';
import { sends } from './parts/sends.js';
import { startUp } from './parts/start-up.js';
import { sustained } from './parts/sustained.js';
import { timers } from './parts/timers.js';
import { draw, type Plot } from './plots/draw.js';
import { RATE, throughput } from './plots/throughput.js';
import { startRedis } from './redis-server.js';
import { runRound } from './run-round.js';
import { FULL, QUICK } from './sizes.js';
import { table } from './table.js';
import type { Target } from './target.js';

const PARTS = {
  sends,
  changes,
  drain,
  processes,
  lateness,
  sustained,
  fleet,
  idle,
  memory,
  growth,
  'start-up': startUp,
  timers,
  'pg-boss': pgBoss,
} as const;
/** What a quick look takes in: the rest takes long, whatever the sizes. */
const QUICK_PARTS = [
  'sends',
  'changes',
  'drain',
  'lateness',
  'memory',
] as const satisfies (keyof typeof PARTS)[];
const USAGE = `npm run bench -- [--quick] [--assert] [--json <file>] [--plots <folder>] [--profile <folder>] [${Object.keys(PARTS).join('] [')}]

Without names all parts run, with --quick a few of them on little data. --assert exits with 1 where a target is missed. --json writes the figures to the file, as
[{ name, unit, ours, peer, peerName, ratio }]. --plots writes plots as SVG to the folder, --profile a CPU profile of
each round's process.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    assert: { type: 'boolean', default: false },
    json: { type: 'string' },
    plots: { type: 'string' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const isPart = (name: string): name is keyof typeof PARTS => name in PARTS;

if (values.help || !positionals.every(isPart)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else {
  const all = values.quick ? QUICK_PARTS : Object.keys(PARTS).filter(isPart);
  const names = positionals.length === 0 ? all : positionals;
  const figures: Figure[] = [];
  const plots = new Map<string, Plot>();
  const targets = await measure(names, figures, plots);
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
  if (values.plots !== undefined) {
    if (figures.some(({ unit }) => unit === RATE)) plots.set('throughput', throughput(figures));
    await mkdir(values.plots, { recursive: true });
    for (const [name, plot] of plots) await writeFile(join(values.plots, `${name}.svg`), await draw(plot));
  }
  const missed = targets.filter((target) => !target.met);
  const rows = targets.map(({ what, figure, wanted, met }) => [what, figure, wanted, met ? 'met' : 'MISSED']);
  console.log(`\nTargets\n${table([['', 'figure', 'target', ''], ...rows])}`);
  if (values.assert && missed.length > 0) process.exitCode = 1;
}

async function measure(
  names: readonly (keyof typeof PARTS)[],
  figures: Figure[],
  plots: Map<string, Plot>,
): Promise<Target[]> {
  const redis = await startRedis();
  try {
    const runOn: Bench['run'] = (name, input) =>
      runRound(name, { ...input, redisPort: redis.port }, values.profile);
    const bench: Bench = {
      sizes: values.quick ? QUICK : FULL,
      run: (...round) => redis.empty().then(() => runOn(...round)),
      runOn,
      print: (text) => console.log(text),
      record: (figure) => void figures.push(figure),
      draw: (name, plot) => void plots.set(name, plot),
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
