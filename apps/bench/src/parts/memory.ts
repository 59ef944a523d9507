import type { Bench } from '../bench.js';
import { against, alone } from '../figure.js';
import { table, whole } from '../table.js';
import { atMost, type Target } from '../target.js';

/** 100 bytes of content, an id of 20 bytes. */
export async function memory(bench: Bench): Promise<Target[]> {
  const messages = bench.sizes.memoryMessages;
  const { bytes: ours = Number.NaN } = await bench.run('delay-queue memory', { messages, warmUp: 0 });
  const { bytes: theirs = Number.NaN } = await bench.run('bullmq memory', { messages, warmUp: 0 });
  bench.print(
    `\nMemory: used_memory per pending message over ${whole(messages)}, content 100 bytes, id 20 bytes`,
  );
  bench.print(
    table([
      ['delay queue', `${whole(ours)} B`],
      ['BullMQ', `${whole(theirs)} B`],
    ]),
  );
  bench.record(against('memory', 'bytes of Redis per pending message', ours, 'BullMQ', theirs));
  await flood(bench);
  return [atMost("memory, share of BullMQ's", (100 * ours) / theirs, 38, ' %')];
}

/** How far the process grows that calls all sends at once. */
async function flood(bench: Bench): Promise<void> {
  const messages = bench.sizes.flood;
  const { bytes = Number.NaN, seconds = Number.NaN } = await bench.run('delay-queue flood', {
    messages,
    warmUp: 0,
  });
  bench.print(`\nMemory of the process that calls ${whole(messages)} sends at once, by default limits`);
  bench.print(table([['delay queue', `${whole(bytes / 1024 / 1024)} MiB`, `${seconds.toFixed(1)} s`]]));
  bench.record(alone(`memory of ${messages} sends at once`, 'bytes of the Node process', bytes));
}
