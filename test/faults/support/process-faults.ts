import { setTimeout as pass } from 'node:timers/promises';
import { inject } from 'vitest';
import type { Member } from './fleet.js';
import type { Play } from './stage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than a lease. */
const STANDSTILL_MS = [500, 7_000] as const;
/** Does it to some process or to all; a deploy takes one of these region counts. */
export type ProcessFault = (play: Play, regionCounts: readonly number[]) => Promise<void>;

/** What can befall the processes of a fleet whose members were started by `startOdd`. */
const PROCESS_FAULTS = {
  /** One is killed, and another one started in its place. */
  'kill -9': async (play) => {
    const victim = anyOf(play);
    const dying = play.fleet.end(victim, 'SIGKILL');
    await startOdd(play, victim.program).ready;
    await dying;
  },
  /** One stands still, for longer than its lease at times. */
  standstill: async (play) => {
    const frozen = anyOf(play);
    play.fleet.signal(frozen, 'SIGSTOP');
    await pass(play.dice.between(...STANDSTILL_MS));
    play.fleet.signal(frozen, 'SIGCONT');
  },
  /** The clock of each jumps. */
  'clock jump': (play) => {
    for (const member of play.fleet.living()) play.fleet.signal(member, 'SIGWINCH');
    return Promise.resolve();
  },
  /** One after the other is replaced, by one with another region count. */
  deploy: async (play, regionCounts) => {
    const REGIONS = String(play.dice.pick(regionCounts));
    for (const old of play.fleet.living()) {
      await startOdd(play, old.program, { REGIONS }).ready;
      await play.fleet.end(old, 'SIGTERM');
    }
  },
} satisfies Record<string, ProcessFault>;

/** Any of them, with each region count that a deploy may set. */
export function breakProcesses(play: Play, regionCounts: readonly number[]): Promise<void> {
  return play.dice.pick(Object.values<ProcessFault>(PROCESS_FAULTS))(play, regionCounts);
}

/** Starts so many processes whose clocks are wrong, and waits until all have booted. */
export async function startOddFleet(play: Play, consumers: number, producers: number): Promise<void> {
  for (let i = 0; i < consumers; i++) startOdd(play, 'consumer');
  for (let i = 0; i < producers; i++) startOdd(play, 'producer');
  await Promise.all(play.fleet.living().map(({ ready }) => ready));
}

/** Starts a process whose clock is wrong. */
function startOdd(
  { fleet, dice }: Play,
  program: Member['program'],
  env: Readonly<Record<string, string>> = {},
): Member {
  return fleet.start(program, {
    NODE_OPTIONS: `--import=${inject('programs')}/wrong-clock.mjs`,
    CLOCK_OFF_MS: `${dice.between(-5 * MINUTE_MS, 5 * MINUTE_MS)}`,
    CLOCK_JUMP_MS: `${dice.pick([-HOUR_MS, HOUR_MS])}`,
    SEED: `${dice.between(0, 1e9)}`,
    ...env,
  });
}

function anyOf({ fleet, dice }: Play): Member {
  return dice.pick(fleet.living(dice.chance(0.7) ? 'consumer' : 'producer'));
}
