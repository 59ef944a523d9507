import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BREAKABLE, FAULTS, type FaultName } from './support/faults.js';
import { PROCESS_FAULTS, startOdd } from './support/process-faults.js';
import { soakReport } from './support/soak-report.js';
import { openStage, type Stage } from './support/stage.js';
import { worked } from './support/through.js';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 1.5);
const CONSUMERS = 3;
const PRODUCERS = 2;
/** How long a fault of the server takes: at times longer than a lease. */
const FAULT_MS = [0, 6_000] as const;
const LEASE = '5s';
const SLOW_MS = '2500';

type Names<T> = readonly Extract<keyof T, string>[];
const SERVER_FAULTS = Object.keys(FAULTS) as Names<typeof FAULTS>;
const OF_PROCESSES = Object.keys(PROCESS_FAULTS) as Names<typeof PROCESS_FAULTS>;

it(
  `${MINUTES} minutes of everything that can happen on one server: the books balance`,
  async () => {
    const stage = await openStage({ ...BREAKABLE, env: { LEASE, SLOW_MS } });
    const { dice } = stage;
    for (let i = 0; i < CONSUMERS; i++) startOdd(stage, 'consumer');
    for (let i = 0; i < PRODUCERS; i++) startOdd(stage, 'producer');
    await Promise.all(stage.fleet.living().map(({ ready }) => ready));
    const end = performance.now() + MINUTES * 60_000;
    while (performance.now() < end) {
      await worked(stage);
      const both = dice.chance(0.3);
      const server = both || dice.chance(0.5) ? dice.pick(SERVER_FAULTS) : undefined;
      // Who is told another password while it starts ends, as it should.
      const processes = server !== 'another password' && (both || server === undefined);
      await Promise.all([
        server === undefined ? undefined : breakServer(stage, server),
        processes ? breakProcesses(stage) : undefined,
      ]);
    }
    const books = await stage.finish();
    console.log(soakReport(books, stage.entries()));
    expect(books.pending).toBe(0);
  },
  (MINUTES + 10) * 60_000,
);

function breakServer(stage: Stage, name: FaultName): Promise<void> {
  const forMs = stage.dice.between(...FAULT_MS);
  return stage.fault(name, () => FAULTS[name](stage, forMs));
}

/** At any moment of what happens to the server meanwhile. */
async function breakProcesses(stage: Stage): Promise<void> {
  await pass(stage.dice.between(0, FAULT_MS[1] / 2));
  await PROCESS_FAULTS[stage.dice.pick(OF_PROCESSES)](stage);
}
