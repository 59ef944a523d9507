import type { Bench } from '../bench.js';
import { compare } from '../compare.js';
import { whole } from '../table.js';
import type { Target } from '../target.js';

/** Pending messages that change their mind, 1,000 calls in flight. */
export async function changes(bench: Bench): Promise<Target[]> {
  const { changes: messages } = bench.sizes;
  bench.print(`\nCancels: ${whole(messages)} of pending messages, 1,000 in flight`);
  await compare(
    bench,
    [
      { label: 'delay queue, cancel', figure: 'cancels', round: 'delay-queue cancels' },
      { label: 'BullMQ, job.remove', round: 'bullmq cancels' },
    ],
    messages,
  );
  bench.print(`\nReschedules: ${whole(messages)} of pending messages, 1,000 in flight`);
  await compare(
    bench,
    [
      { label: 'delay queue, reschedule', figure: 'reschedules', round: 'delay-queue reschedules' },
      { label: 'BullMQ, job.changeDelay', round: 'bullmq reschedules' },
    ],
    messages,
  );
  return [];
}
