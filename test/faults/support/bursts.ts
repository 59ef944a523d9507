import type { Member } from './fleet.js';
import type { Entry } from './journal.js';
import type { Play } from './stage.js';
import type { Burst } from './trouble.js';

/** Sends them all by one more process; resolves when they are stored. */
export async function burst({ fleet }: Play, bursts: readonly Burst[]): Promise<Member> {
  const member = fleet.start('burst', { BURSTS: JSON.stringify(bursts) });
  await member.ready;
  return member;
}

/** The start of a delivery. */
export type Start = Entry & { readonly event: 'started' };

/** All deliveries so far of the messages of a burst, by time. */
export function startsOf(stage: Play, name: string): readonly Start[] {
  const isOne = (entry: Entry): entry is Start =>
    entry.event === 'started' && entry.id.startsWith(`${name}-`);
  return stage.entries().filter(isOne);
}
