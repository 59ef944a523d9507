import { setTimeout as pass } from 'node:timers/promises';
import type { ClusterNode, ClusterPlay } from './cluster-play.js';
import { beginMove } from './move-slot.js';

/** How long a slot is half moved on its way back, is at its new place before that is known, and stays there. */
export const BACK_MS = 300;
/** Keys that move at once; a region has more. */
const MOST_AT_ONCE = 3;

/** Moves a slot to another master, where it stays half moved for so long, and back. */
export async function moveAndBack(play: ClusterPlay, slot: number, halfMovedMs: number): Promise<void> {
  const { dice } = play;
  const masters = await play.masters();
  const home = await ownerOf(play, slot);
  const away = dice.pick(masters.filter((node) => node !== home));
  for (const [from, to] of [[home, away] as const, [away, home] as const]) {
    const move = await beginMove(slot, from, to, masters);
    await move.moveKeys(dice.between(0, MOST_AT_ONCE));
    await pass(from === home ? halfMovedMs : BACK_MS);
    await move.moveKeys(Infinity);
    await pass(BACK_MS);
    await move.finish();
    await pass(BACK_MS);
  }
}

/** The master that has a slot. */
async function ownerOf(play: ClusterPlay, slot: number): Promise<ClusterNode> {
  for (const node of await play.masters()) {
    const ranges = await play.slotsOf(node);
    if (ranges.some(([first, last]) => first <= slot && slot <= last)) return node;
  }
  throw new Error(`no master has slot ${slot}`);
}
