import { defineScript } from '../script.js';
import type { RunScript } from '../script-runner.js';

/*
 * KEYS  1 {namespace}:topics
 * ARGV  1 now (unused)  2 topic  3 '1' to pause, '0' to resume
 *
 * Sets the flag in the registry, for regions that come later; a topic nobody used yet can be paused too. Begins
 * with a removal that removes nothing, so a server out of memory lets the rest pass.
 */
export const PAUSE_TOPIC = defineScript(
  'pause-topic',
  `local topics, topic = KEYS[1], ARGV[2]
local entry = redis.call('HGET', topics, topic) or '0 0  '
redis.call('HDEL', topics, '')
redis.call('HSET', topics, topic, (string.gsub(entry, '^(%d+) %d', '%1 ' .. ARGV[3])))`,
);

/** Sets the paused flag of a topic in the registry. */
export async function pauseTopic(
  run: RunScript,
  topicsKey: string,
  topic: string,
  paused: boolean,
): Promise<void> {
  await run(PAUSE_TOPIC, [topicsKey], [topic, paused ? '1' : '0']);
}
