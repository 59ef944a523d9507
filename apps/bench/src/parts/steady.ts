import type { Bench } from '../bench.js';
import type { RoundName } from '../round-process.js';
import type { RoundOutput } from '../rounds/round.js';

/** For both processes to boot. */
const LEAD_MS = 2_000;

/** Whose stream it is. */
export interface Side {
  readonly label: string;
  readonly pending: RoundName;
  readonly producer: RoundName;
  readonly consumer: RoundName;
  /** Of BullMQ's worker; ours has its defaults. */
  readonly concurrency?: number;
}

/** Ours and BullMQ's, in this order. */
export const SIDES: readonly Side[] = [
  {
    label: 'delay queue',
    pending: 'delay-queue pending',
    producer: 'delay-queue steady producer',
    consumer: 'delay-queue steady consumer',
  },
  {
    label: 'BullMQ',
    pending: 'bullmq pending',
    producer: 'bullmq steady producer',
    consumer: 'bullmq steady consumer',
    concurrency: 128,
  },
];

/** Runs a stream at a rate for so long, on what is in Redis; how late its messages are, in ms. */
export async function steady(bench: Bench, side: Side, rate: number, seconds: number): Promise<RoundOutput> {
  const { producer, consumer, concurrency } = side;
  const input = {
    messages: rate * seconds,
    warmUp: 0,
    rate,
    startAt: Date.now() + LEAD_MS,
    ...(concurrency === undefined ? {} : { concurrency }),
  };
  const [late] = await Promise.all([bench.runOn(consumer, input), bench.runOn(producer, input)]);
  return late;
}
