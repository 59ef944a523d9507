/*
 * `npm run soak -- --minutes 10 [--seed N]`: a fleet of processes at work on one Redis server, then on a pair that
 * Sentinel watches, then on a Cluster, while servers and processes are broken at random in every way of the fault
 * suite. For each it prints the balanced books, the lateness, and each second delivery with the
 * recorded event that caused it; fails where one is not explained. A seed repeats what is done, not when.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error(`soak: --minutes must be a number above 0, but it is '${values.minutes}'`);
  process.exit(2);
}
const vitest = ['run', '--config', 'vitest.faults.config.ts', '--disableConsoleIntercept', 'soak'];
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...vitest], {
  stdio: 'inherit',
  env: {
    ...process.env,
    SOAK_MINUTES: String(minutes),
    ...(values.seed === undefined ? {} : { FAULT_SEED: values.seed }),
  },
});
process.exit(status ?? 1);
