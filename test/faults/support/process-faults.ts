import { setTimeout as pass } from 'node:timers/promises';
import { inject } from 'vitest';
import type { Member } from './fleet.js';
import type { Play } from './stage.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Longer than a lease. */
const STANDSTILL_MS = [500, 7_000] as const;
/** What a deploy may set. */
const REGION_COUNTS = ['3', '5', '8'];

/** What a process is told besides what all are. */
type Env = Readonly<Record<string, string>>;

/** What can befall the processes of a fleet whose members were started by `startOdd`. */
export const PROCESS_FAULTS = {
  /** One is killed, and another one started in its place. */
  'kill -9': async (play: Play, env?: Env) => {
    const victim = anyOf(play);
    const dying = play.fleet.end(victim, 'SIGKILL');
    await startOdd(play, victim.program, env).ready;
    await dying;
  },
  /** One stands still, for longer than its lease at times. */
  standstill: async (play: Play) => {
    const frozen = anyOf(play);
    play.fleet.signal(frozen, 'SIGSTOP');
    await pass(play.dice.between(...STANDSTILL_MS));
    play.fleet.signal(frozen, 'SIGCONT');
  },
  /** The clock of each jumps. */
  'clock jump': (play: Play) => {
    for (const member of play.fleet.living()) play.fleet.signal(member, 'SIGWINCH');
    return Promise.resolve();
  },
  /** One after the other is replaced, by one with another region count. */
  deploy: async (play: Play) => {
    const REGIONS = play.dice.pick(REGION_COUNTS);
    for (const old of play.fleet.living()) {
      await startOdd(play, old.program, { REGIONS }).ready;
      await play.fleet.end(old, 'SIGTERM');
    }
  },
} satisfies Record<string, (play: Play, env?: Env) => Promise<void>>;

/** Starts a process whose clock is wrong. */
export function startOdd({ fleet, dice }: Play, program: Member['program'], env: Env = {}): Member {
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
