import type { Bench } from '../bench.js';
import { against } from '../figure.js';
import type { RoundName } from '../round-process.js';
import type { RoundOutput } from '../rounds/round.js';
import { spread } from '../spread.js';
import { table } from '../table.js';
import { atLeast, type Target } from '../target.js';

const ROUNDS = [
  'timing wheel',
  'tinyqueue',
  'setTimeout',
  'setTimeout, one delay',
] as const satisfies RoundName[];
const MEASURES = ['add', 'cancel', 'fire'] as const;

/** The memory engine's wheel against Node's timers and a heap, on top of a million timers; the wheel comes first. */
export async function timers(bench: Bench): Promise<Target[]> {
  const { timers: messages, timerRounds } = bench.sizes;
  const outputs = ROUNDS.map((): RoundOutput[] => []);
  for (let round = 0; round < timerRounds; round++) {
    for (const [i, name] of ROUNDS.entries())
      outputs[i]?.push(await bench.run(name, { messages, warmUp: 0 }));
  }
  const costs = outputs.map((rounds) =>
    MEASURES.map((measure) => spread(rounds.map((output) => output[measure] ?? NaN)).median),
  );
  bench.print(
    '\nTimers: ns of CPU each, with 1,000,000 standing; delays of 1 to 25 hours, and of 1 s for those that fire',
  );
  bench.print(
    table([
      ['', ...MEASURES],
      ...ROUNDS.map((name, i) => [name, ...(costs[i] ?? []).map((ns) => ns.toFixed(0))]),
    ]),
  );
  for (const [i, peer] of ROUNDS.entries()) {
    if (i === 0) continue;
    for (const [k, measure] of MEASURES.entries()) {
      bench.record(
        against(`timers, ${measure}`, 'ns of CPU', costs[0]?.[k] ?? NaN, peer, costs[i]?.[k] ?? NaN),
      );
    }
  }
  const pair = (of: number): number => (costs[of]?.[0] ?? NaN) + (costs[of]?.[1] ?? NaN);
  const times = pair(ROUNDS.indexOf('setTimeout')) / pair(0);
  return [atLeast('add + cancel of the wheel against setTimeout', times, 10, ' x')];
}
