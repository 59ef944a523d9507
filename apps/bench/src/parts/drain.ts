import type { Bench } from '../bench.js';
import { compare, ratio } from '../compare.js';
import { table, whole } from '../table.js';
import { atLeast, type Target } from '../target.js';

/** Both sides start with the same state: delayed messages whose time has come, and nobody consuming yet. */
export async function drain(bench: Bench): Promise<Target[]> {
  const { messages } = bench.sizes;
  const concurrency = await bestConcurrency(bench);
  bench.print(
    `\nDrain: ${whole(messages)} overdue messages run by an empty async handler, until none is left`,
  );
  const [defaults, tuned, theirs, bare] = await compare(bench, [
    {
      label: 'delay queue, defaults',
      figure: 'drain with defaults',
      after: 'delay-queue fill',
      round: 'delay-queue drain',
    },
    {
      label: 'delay queue, 512 slots, queue of 512',
      figure: 'drain with 512 slots',
      after: 'delay-queue fill',
      round: 'delay-queue drain',
      concurrency: 512,
      queueSize: 512,
    },
    { label: `BullMQ, concurrency ${concurrency}`, after: 'bullmq fill', round: 'bullmq drain', concurrency },
    { label: 'bare ZRANGE, HMGET, ZREM, HDEL', after: 'bare fill', round: 'bare drain' },
  ]);
  return [
    atLeast('drain with defaults against BullMQ', ratio(defaults, theirs), 6, ' x'),
    atLeast('drain with 512 slots against BullMQ', ratio(tuned, theirs), 12, ' x'),
    atLeast('drain with 512 slots, share of the bare commands', 100 * ratio(tuned, bare), 60, ' %'),
  ];
}

async function bestConcurrency(bench: Bench): Promise<number> {
  const { sweep, sweepMessages: messages, warmUp } = bench.sizes;
  const rates: { concurrency: number; rate: number }[] = [];
  for (const concurrency of sweep) {
    await bench.run('bullmq fill', { messages, warmUp });
    const { rate = 0 } = await bench.runOn('bullmq drain', { messages, warmUp, concurrency });
    rates.push({ concurrency, rate });
  }
  bench.print(`\nBullMQ's worker by concurrency, ${whole(messages)} jobs each`);
  bench.print(
    table([
      ['concurrency', ...rates.map(({ concurrency }) => `${concurrency}`)],
      ['jobs/s', ...rates.map(({ rate }) => whole(rate))],
    ]),
  );
  return rates.reduce((best, each) => (each.rate > best.rate ? each : best)).concurrency;
}
