import type { CancelOutcome, Due, PutMessage, PutOutcome, RescheduleOutcome } from '@delay-queue/core';
import { dueTime } from './due-time.js';
import { Entry } from './entry.js';
import type { RegionState } from './region-state.js';

/** Stores one message by the rules of `DelayEngine.put`. `now` is rounded up. */
export function putMessage(
  region: RegionState,
  message: PutMessage,
  now: number,
  onlyIfPresent: boolean,
): PutOutcome {
  const state = region.stateOf(message.id, now);
  if (onlyIfPresent && state === undefined) return { outcome: 'absent' };
  if (state === 'handled') return { outcome: 'duplicate', state };
  if (state !== undefined && message.onDuplicate === 'keep') return { outcome: 'duplicate', state };

  const entry = new Entry(message.id, message.content, message.headers, dueTime(message.due, now), now);
  const live = region.live.get(message.id);
  if (live?.lease !== undefined) {
    if (live.follower === undefined && region.full) return { outcome: 'refused' };
    region.follow(live, entry);
    return { outcome: 'queued' };
  }
  if (live !== undefined) region.removeWaiting(live);
  else if (state === 'dead') region.exhume(message.id);
  else if (region.full) return { outcome: 'refused' };
  region.store(entry);
  return { outcome: state === undefined ? 'stored' : 'replaced' };
}

/** Cancels one message by the rules of `DelayEngine.cancel`. */
export function cancelMessage(region: RegionState, id: string, now: number): CancelOutcome {
  const entry = region.live.get(id);
  if (entry === undefined) return withoutLive(region, id, now);
  if (entry.lease !== undefined) {
    region.dropFollower(entry);
    return 'running';
  }
  region.removeWaiting(entry);
  return 'cancelled';
}

/** Moves one message by the rules of `DelayEngine.reschedule`. `now` is rounded up. */
export function rescheduleMessage(region: RegionState, id: string, due: Due, now: number): RescheduleOutcome {
  const entry = region.live.get(id);
  if (entry === undefined) return withoutLive(region, id, now);
  const dueAt = dueTime(due, now);
  if (entry.lease === undefined) {
    region.unfile(entry);
    entry.dueAt = dueAt;
    region.wait(entry, dueAt);
    return 'rescheduled';
  }
  if (entry.follower === undefined) return 'running';
  entry.follower.dueAt = dueAt;
  return 'rescheduled';
}

function withoutLive(region: RegionState, id: string, now: number): 'dead' | 'handled' | 'unknown' {
  if (region.dead.has(id)) return 'dead';
  return region.seen.until(id, now) === undefined ? 'unknown' : 'handled';
}
