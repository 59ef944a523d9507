import type { Bench } from '../bench.js';
import { alone } from '../figure.js';
import type { RoundOutput } from '../rounds/round.js';
import { spread } from '../spread.js';
import { table } from '../table.js';
import type { Target } from '../target.js';

const STEPS = { nest: 'Nest alone', boot: 'with a delay queue and a consumer', firstSend: 'first send' };

/** How long an application takes to boot, and to send for the first time. */
export async function startUp(bench: Bench): Promise<Target[]> {
  const outputs: RoundOutput[] = [];
  for (let round = 0; round < bench.sizes.rounds; round++) {
    outputs.push(await bench.run('delay-queue start-up', { messages: 0, warmUp: 0 }));
  }
  const rows = Object.entries(STEPS).map(([name, label]) => {
    const ms = spread(outputs.map((output) => output[name] ?? NaN)).median;
    bench.record(alone(`start-up, ${label}`, 'ms', ms));
    return [label, `${ms.toFixed(1)} ms`];
  });
  bench.print('\nStart-up: the first application of a process, its modules loaded');
  bench.print(table(rows));
  return [];
}
