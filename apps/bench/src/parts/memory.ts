import type { Bench } from '../bench.js';
import { against } from '../figure.js';
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
  return [atMost("memory, share of BullMQ's", (100 * ours) / theirs, 40, ' %')];
}
