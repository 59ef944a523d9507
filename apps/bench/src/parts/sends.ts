import type { Bench } from '../bench.js';
import { compare, ratio } from '../compare.js';
import { whole } from '../table.js';
import { atLeast, type Target } from '../target.js';

/** A send that resolved is in Redis, on all sides. */
export async function sends(bench: Bench): Promise<Target[]> {
  const { messages, singles } = bench.sizes;
  bench.print(`\nSends: ${whole(singles)} with a delay of an hour, one after the other, each awaited`);
  await compare(
    bench,
    [
      { label: 'delay queue, send', figure: 'sends, one by one', round: 'delay-queue single sends' },
      { label: 'BullMQ, queue.add', round: 'bullmq single sends' },
    ],
    singles,
  );
  bench.print(`\nSends: ${whole(messages)} with a delay of an hour, 1,000 in flight, one at a time per call`);
  const [ours, theirs, bare] = await compare(bench, [
    { label: 'delay queue, send', figure: 'sends, 1,000 in flight', round: 'delay-queue sends' },
    { label: 'BullMQ, queue.add', round: 'bullmq sends' },
    { label: 'bare ZADD + HSET', round: 'bare sends' },
  ]);
  bench.print(`\nSends: ${whole(messages)} with a delay of an hour, 1,000 per call, each call awaited`);
  const [many, bulk] = await compare(bench, [
    { label: 'delay queue, sendMany', figure: 'sendMany of 1,000', round: 'delay-queue bulk sends' },
    { label: 'BullMQ, queue.addBulk', round: 'bullmq bulk sends' },
  ]);
  return [
    atLeast('sends against BullMQ', ratio(ours, theirs), 10, ' x'),
    atLeast('sends, share of the bare commands', 100 * ratio(ours, bare), 80, ' %'),
    atLeast('sendMany against addBulk', ratio(many, bulk), 15, ' x'),
  ];
}
