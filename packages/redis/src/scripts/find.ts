import type { Moved, StoredMessage } from '@delay-queue/core';
import { defineScript } from '../script.js';
import type { ScriptTarget } from '../script-runner.js';
import { fromDead, fromEnvelope, handledMessage } from '../stored-message.js';
import { epochCheck, NOW_DOWN } from './lua.js';

/*
 * KEYS  1 due  2 message  3 retries  4 dead  5 dead-message  6 seen  7 epoch
 * ARGV  1 now  2 epoch  3 id
 * Returns 'moved', nil, or { state, time, envelope or dead record, retries or '' }.
 */
export const FIND = defineScript(
  'find',
  `${NOW_DOWN}${epochCheck('KEYS[7]', 'ARGV[2]')}
local id = ARGV[3]
if shown > epoch then
  redis.call('ZREM', KEYS[1], '')
  redis.call('SET', KEYS[7], shown)
end
local score, envelope = redis.call('ZSCORE', KEYS[1], id), redis.call('HGET', KEYS[2], id)
local counts = redis.call('HGET', KEYS[3], id) or ''
if score then return { 'waiting', score, envelope or '', counts } end
if envelope then return { 'running', '', envelope, counts } end
local died = redis.call('ZSCORE', KEYS[4], id)
if died then return { 'dead', died, redis.call('HGET', KEYS[5], id) or '', '' } end
local refused = redis.call('ZSCORE', KEYS[6], id)
if refused and tonumber(refused) > now then return { 'handled', refused, '', '' } end
return false`,
);

/** Finds a message in whatever state it is. */
export async function find(
  target: ScriptTarget,
  id: string,
  epoch: number,
): Promise<StoredMessage | undefined | Moved> {
  const { keys } = target;
  const reply = (await target.run(
    FIND,
    [keys.due, keys.message, keys.retries, keys.dead, keys.deadMessage, keys.seen, keys.epoch],
    [`${epoch}`, id],
  )) as Moved | null | [StoredMessage['state'], string, string, string];
  if (reply === null) return undefined;
  if (reply === 'moved') return 'moved';
  const [state, time, text, counts] = reply;
  switch (state) {
    case 'dead':
      return fromDead(id, Number(time), text);
    case 'handled':
      return handledMessage(id, Number(time));
    default:
      return fromEnvelope(id, state, time === '' ? undefined : Number(time), text, counts);
  }
}
