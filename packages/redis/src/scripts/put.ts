import type { Due, Moved, PutMessage, PutOptions, PutOutcome } from '@delay-queue/core';
import { envelopeBody, envelopeVersion } from '../envelope.js';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { dueArgument } from './due-argument.js';
import { EACH, EARLIEST, epochCheck, HINT, NOW_UP } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 next  5 dead  6 dead-message  7 seen  8 epoch
 * ARGV  1 now  2 epoch  3 hint channel  4 "<index> <topic>"  5 '1': only ids that are present  6 n  7 groups
 *       then per group: due (delay, or '@' and a time), envelope version and 'k'eep or 'r'eplace, count;
 *       then n pairs of id and envelope without version and times
 * Returns 'moved', or a flat list of position and outcome of every message that was not simply stored; a state
 *       as outcome means: duplicate.
 *
 * Grouping by equal delay and the pairs in HSET's own order are what makes it fast: a score is formatted once
 * per group and HSET unpacks ARGV itself. ZADD comes first, so that a server out of memory refuses all or nothing.
 */
export const PUT = defineScript(
  'put',
  `${NOW_UP}${epochCheck('KEYS[8]', 'ARGV[2]')}${EACH}${EARLIEST}${HINT}
local due, message, retries, follow, dead, deadMessage, seen =
  KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local only, n, groups = ARGV[5] == '1', tonumber(ARGV[6]), tonumber(ARGV[7])
local pair = 7 + 3 * groups
local ids = {}
for i = 1, n do ids[i] = ARGV[pair + 2 * i - 1] end
local state, others = {}, redis.call('EXISTS', dead, seen) > 0
for from = 1, n, 1000 do
  local to = math.min(from + 999, n)
  local known = redis.call('HMGET', message, unpack(ids, from, to))
  for i = from, to do
    if known[i - from + 1] then state[i] = redis.call('ZSCORE', due, ids[i]) and 'waiting' or 'running' end
  end
  if others then
    local died = redis.call('ZMSCORE', dead, unpack(ids, from, to))
    local refused = redis.call('ZMSCORE', seen, unpack(ids, from, to))
    for i = from, to do
      local k = i - from + 1
      if not state[i] and died[k] then state[i] = 'dead'
      elseif not state[i] and refused[k] and tonumber(refused[k]) > now then state[i] = 'handled' end
    end
  end
end
local add, queue, raised, counted, reply, i, k, first = {}, {}, {}, {}, {}, 0, 0, math.huge
for g = 8, pair, 3 do
  local when = ARGV[g]
  local at = string.byte(when) == 64 and math.max(now, tonumber(string.sub(when, 2))) or now + tonumber(when)
  local score, replace = string.format('%d', at), string.sub(ARGV[g + 1], 2) == 'r'
  local head = string.sub(ARGV[g + 1], 1, 1) .. string.format('%011x%011x', at, now)
  for _ = 1, tonumber(ARGV[g + 2]) do
    i = i + 1
    local id, was, outcome = ids[i], state[i], nil
    if only and not was then outcome = 'absent'
    elseif was == 'handled' or was and not replace then outcome = was
    elseif was == 'running' then
      outcome = 'queued'
      queue[#queue + 1], queue[#queue + 2] = id, string.format('%011x', at) .. head .. ARGV[pair + 2 * i]
    else
      k = k + 1
      add[2 * k - 1], add[2 * k] = score, id
      ARGV[pair + 2 * k - 1], ARGV[pair + 2 * k] = id, head .. ARGV[pair + 2 * i]
      if at < first then first = at end
      if was then outcome = 'replaced' end
      if was == 'dead' then raised[#raised + 1] = id
      elseif was and redis.call('HEXISTS', retries, id) == 1 then counted[#counted + 1] = id end
    end
    if outcome then reply[#reply + 1], reply[#reply + 2] = i, outcome end
  end
end
local before = earliest(due)
each('ZADD', due, add)
for from = 1, 2 * k, 1000 do
  redis.call('HSET', message, unpack(ARGV, pair + from, pair + math.min(from + 999, 2 * k)))
end
each('HSET', follow, queue) each('HDEL', retries, counted)
each('ZREM', dead, raised) each('HDEL', deadMessage, raised)
if shown > epoch then redis.call('SET', KEYS[8], shown) end
if first < before then hint(first, ARGV[3], ARGV[4]) end
return reply`,
);

/** Stores messages in one round trip; outcomes in the order of `messages`. */
export async function put(
  target: ScriptTarget,
  messages: readonly PutMessage[],
  options: PutOptions,
): Promise<readonly PutOutcome[] | Moved> {
  const order = groupByDue(messages);
  const args: string[] = [
    `${options.epoch}`,
    target.hintChannel,
    target.hintRegion,
    options.onlyIfPresent === true ? '1' : '0',
    `${messages.length}`,
    `${order.size}`,
  ];
  for (const { due, kind, indexes } of order.values()) args.push(due, kind, `${indexes.length}`);
  for (const { id, content, headers } of inOrder(messages, order)) {
    args.push(id, envelopeBody(content, headers));
  }
  const { due, message, retries, next, dead, deadMessage, seen, epoch } = target.keys;
  const reply = await target.run(PUT, [due, message, retries, next, dead, deadMessage, seen, epoch], args);
  if (reply === 'moved') return 'moved';
  return readOutcomes(reply as (number | string)[], order, messages.length);
}

interface Group {
  readonly due: string;
  readonly kind: string;
  /** Positions of its messages in the call. */
  readonly indexes: number[];
}

/** Groups of one due argument, version and policy, in order of their first message. */
function groupByDue(messages: readonly PutMessage[]): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  let last: Group | undefined;
  let lastDue: Due | undefined;
  messages.forEach((message, index) => {
    const kind = envelopeVersion(message.headers) + (message.onDuplicate === 'replace' ? 'r' : 'k');
    if (last === undefined || lastDue !== message.due || last.kind !== kind) {
      const due = dueArgument(message.due);
      const key = `${kind}${due}`;
      last = groups.get(key) ?? { due, kind, indexes: [] };
      lastDue = message.due;
      groups.set(key, last);
    }
    last.indexes.push(index);
  });
  return groups;
}

/** The messages in the order of their groups. */
function inOrder(messages: readonly PutMessage[], order: ReadonlyMap<string, Group>): readonly PutMessage[] {
  if (order.size === 1) return messages;
  const sorted: PutMessage[] = [];
  for (const { indexes } of order.values()) {
    for (const index of indexes) {
      const message = messages[index];
      if (message !== undefined) sorted.push(message);
    }
  }
  return sorted;
}

const STORED: PutOutcome = { outcome: 'stored' };

function readOutcomes(
  reply: readonly (number | string)[],
  order: ReadonlyMap<string, Group>,
  count: number,
): readonly PutOutcome[] {
  const outcomes = new Array<PutOutcome>(count).fill(STORED);
  if (reply.length === 0) return outcomes;
  const positions = [...order.values()].flatMap(({ indexes }) => indexes);
  for (let i = 0; i + 1 < reply.length; i += 2) {
    const position = positions[Number(reply[i]) - 1];
    if (position !== undefined) outcomes[position] = readOutcome(String(reply[i + 1]));
  }
  return outcomes;
}

function readOutcome(text: string): PutOutcome {
  switch (text) {
    case 'replaced':
    case 'queued':
    case 'absent':
      return { outcome: text };
    case 'waiting':
    case 'running':
    case 'dead':
    case 'handled':
      return { outcome: 'duplicate', state: text };
    default:
      throw new TypeError(`the put script answered ${JSON.stringify(text)}`);
  }
}
