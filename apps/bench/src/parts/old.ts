import type { Bench } from './bench.js';
import { compare, ratio } from './compare.js';
import { table, whole } from './table.js';
import { atLeast, atMost, type Target } from './target.js';

/** A send that resolved is in Redis, on both sides. */
export async function sends(bench: Bench): Promise<Target[]> {
  bench.print(
    `\nSends: ${whole(bench.sizes.messages)} with a delay of an hour, 1,000 in flight, one at a time per call`,
  );
  const [ours, theirs] = await compare(bench, [
    { label: 'delay queue, send', round: 'delay-queue sends' },
    { label: 'BullMQ, queue.add', round: 'bullmq sends' },
  ]);
  return [atLeast('sends against BullMQ', ratio(ours, theirs), 6, ' x')];
}

/** Both sides start with the same state: delayed messages whose time has come, and nobody consuming yet. */
export async function drain(bench: Bench): Promise<Target[]> {
  const { messages } = bench.sizes;
  const concurrency = await bestConcurrency(bench);
  bench.print(
    `\nDrain: ${whole(messages)} overdue messages run by an empty async handler, until none is left`,
  );
  const [defaults, tuned, theirs] = await compare(bench, [
    { label: 'delay queue, defaults', after: 'delay-queue fill', round: 'delay-queue drain' },
    {
      label: 'delay queue, 256 slots, queue of 256',
      after: 'delay-queue fill',
      round: 'delay-queue drain',
      concurrency: 256,
      queueSize: 256,
    },
    { label: `BullMQ, concurrency ${concurrency}`, after: 'bullmq fill', round: 'bullmq drain', concurrency },
  ]);
  return [
    atLeast('drain with defaults against BullMQ', ratio(defaults, theirs), 5, ' x'),
    atLeast('drain with 256 slots against BullMQ', ratio(tuned, theirs), 8, ' x'),
  ];
}

async function bestConcurrency(bench: Bench): Promise<number> {
  const { sweep, sweepMessages: messages, warmUp } = bench.sizes;
  const rates: { concurrency: number; rate: number }[] = [];
  for (const concurrency of sweep) {
    await bench.run('bullmq fill', { messages, warmUp });
    const { rate = 0 } = await bench.run('bullmq drain', { messages, warmUp, concurrency });
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

/** Nothing else is going on; the safety look comes once in an hour. */
export async function lateness(bench: Bench): Promise<Target[]> {
  const messages = bench.sizes.lateMessages;
  const late = await bench.run('delay-queue lateness', { messages, warmUp: 0 });
  bench.print(
    `\nLateness: ${whole(messages)} messages due over 5 s on an idle system, without help of the safety look`,
  );
  bench.print(
    table([
      ['ms', ...Object.keys(late)],
      ['', ...Object.values(late).map((value) => `${value}`)],
    ]),
  );
  const { min = Number.NaN, p99 = Number.NaN } = late;
  return [
    atLeast('earliest start after the due time', min, 0, ' ms'),
    atMost('p99 of lateness', p99, 10, ' ms'),
  ];
}

/** One topic of five regions: a claim each, a read of the registry, a PING of the subscriber. */
export async function idle(bench: Bench): Promise<Target[]> {
  const { total = Number.NaN, ...commands } = await bench.run('delay-queue idle', { messages: 0, warmUp: 0 });
  bench.print('\nIdle: commands per safety look of one process that consumes one topic of five regions');
  bench.print(table(Object.entries(commands).map(([name, count]) => [name, count.toFixed(1)])));
  return [atMost('commands per safety look', total, 7, '')];
}

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
  return [atMost("memory, share of BullMQ's", (100 * ours) / theirs, 40, ' %')];
}
