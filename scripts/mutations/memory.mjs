/*
 * Faults that the suites must find in the memory engine. Each deletes or turns round one guard: name, file
 * under packages/memory/src, the fragment as it stands there (exactly once), what takes its place.
 */
const put = 'region-put.ts';
const claim = 'region-claim.ts';
const settle = 'region-settle.ts';
const recover = 'region-recover.ts';
const state = 'region-state.ts';
const engine = 'memory-engine.ts';
const wheel = 'wheel/timing-wheel.ts';

export const MEMORY_MUTATIONS = [
  ['put keeps nothing', put, "message.onDuplicate === 'keep'", 'false'],
  ['put replaces handled ids', put, "if (state === 'handled') return { outcome: 'duplicate', state };", ''],
  ['put ignores "only if present"', put, 'onlyIfPresent && state === undefined', 'false'],
  ['put leaves the replaced dead letter', put, "else if (state === 'dead') region.exhume(message.id);", ''],
  ['put forgets the limit', put, "else if (region.full) return { outcome: 'refused' };", ''],
  ['followers are not limited', put, 'live.follower === undefined && region.full', 'false'],
  ['cancel leaves the follower', put, 'region.dropFollower(entry);', ''],
  ['cancel takes a running message', put, "    region.dropFollower(entry);\n    return 'running';\n", ''],
  ['a moment in the past stays one', 'due-time.ts', 'Math.max(at, now)', 'at'],
  ['claim ignores the pause', claim, 'if (region.paused) return', 'if (false) return'],
  ['claim is a millisecond early', claim, 'region.waiting.peek(now)', 'region.waiting.peek(now + 1)'],
  ['claim takes suspects together', claim, 'if (suspect) break;', ''],
  ['claim takes a suspect along', claim, 'if (suspect && entries.length > 0) break;', ''],
  ['claim takes one more', claim, 'entries.length < max', 'entries.length <= max'],
  ['claim does not say what is due next', claim, 'Math.min(region.waiting.nextAt(), recoverAt)', 'recoverAt'],
  [
    'claim recovers nothing',
    recover,
    'takeExpired(now);\n    lease !== undefined;',
    'takeExpired(0);\n    lease !== undefined;',
  ],
  ['recover drops the follower', recover, 'if (region.promote(entry) !== undefined) {', 'if (false) {'],
  ['recover counts no crash', recover, 'entry.crashes++;', ''],
  ['recover counts no delivery', recover, 'entry.deliveries++;', ''],
  ['recover allows one crash less', recover, 'entry.crashes > maxCrashes', 'entry.crashes >= maxCrashes'],
  ['recover allows any number of crashes', recover, 'entry.crashes > maxCrashes', 'false'],
  ['recover spreads nothing', recover, 'Math.random() * SPREAD_MS * entry.crashes', '0'],
  ['recover spreads the first crash too', recover, 'entry.crashes < SUSPECT_CRASHES ? 0 :', 'false ? 0 :'],
  ['settle leaves the lease', settle, 'if (lease?.held.size === 0) region.leases.end(lease);', ''],
  ['settle leaves the message held', settle, 'lease?.held.delete(verdict.id);', ''],
  ['settle drops the follower', settle, 'if (region.promote(entry) !== undefined) {', 'if (false) {'],
  ['settle says nothing of superseded verdicts', settle, 'superseded.push(verdict.id)', 'undefined'],
  ['handled ids are never forgotten', 'seen-ids.ts', 'trimmed < most', 'false'],
  ['done forgets the dedupe window', settle, 'if (until > now)', 'if (false)'],
  ['every verdict counts a failure', settle, 'if (failed) entry.failures++', 'entry.failures++'],
  ['release forgets the due time', settle, 'verdict.delayMs === undefined ? entry.dueAt : until', 'until'],
  ['release is always counted', settle, 'if (verdict.started) countDelivery', 'countDelivery'],
  [
    'renew brings a lost lease back',
    engine,
    'return lease === undefined;',
    'if (lease === undefined) state.leases.grant(token, expiresAt);\n      return lease === undefined;',
  ],
  ['renew prolongs nothing', engine, 'if (lease !== undefined) state.leases.prolong(lease, expiresAt);', ''],
  [
    'old epochs are welcome',
    state,
    "if (epoch < this.#epoch) return 'moved';",
    'if (epoch < this.#epoch) return undefined;',
  ],
  ['no epoch is adopted', state, 'this.#epoch = epoch;', ''],
  [
    'a follower that is dropped still counts',
    state,
    'if (entry.follower !== undefined) this.#budget.giveBack();',
    '',
  ],
  [
    'handled ids are refused for ever',
    'seen-ids.ts',
    'seen === undefined || seen.at <= now',
    'seen === undefined',
  ],
  ['redrive forgets the deliveries', 'region-inspect.ts', 'entry.deliveries = dead.deliveries;', ''],
  ['any proposal wins', 'topology.ts', 'if (current.epoch !== proposal.expectedEpoch) return current;', ''],
  ['another selector is welcome', 'topology.ts', 'current.selector !== proposal.selector', 'false'],
  [
    'an epoch may be issued twice',
    'topology.ts',
    'Math.max(current.epoch, minEpoch) + 1',
    'current.epoch + 1',
  ],
  [
    'the wheel hands out what is not due',
    wheel,
    'index === NIL || this.#slab.due(index) > now ? NIL : index',
    'index',
  ],
  [
    'the wheel leaves a slot that begins now',
    wheel,
    'if (slot.startAt > now) break;',
    'if (slot.startAt >= now) break;',
  ],
].map(([name, file, find, replace]) => ({ name, file: `packages/memory/src/${file}`, find, replace }));
