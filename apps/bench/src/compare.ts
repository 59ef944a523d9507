import type { Bench } from './bench.js';
import { against } from './figure.js';
import type { RoundName } from './round-process.js';
import type { RoundOutput } from './rounds/round.js';
import { spread, type Spread } from './spread.js';
import { table, whole } from './table.js';

/** One side of a comparison. */
export interface Contender {
  readonly label: string;
  /** Of ours: what its figures are called. The others are peers. */
  readonly figure?: string;
  readonly round: RoundName;
  /** Runs before it and is not measured. */
  readonly after?: RoundName;
  readonly concurrency?: number;
  readonly queueSize?: number;
}

/** What the rounds of one contender came to. */
export type Result = Readonly<Record<keyof typeof UNITS, Spread>>;

const UNITS = {
  rate: 'messages/s',
  nodeUs: 'µs of Node CPU per message',
  redisUs: 'µs of Redis CPU per message',
};

/**
 * Runs the contenders in turns, so that whatever else the machine does falls on all; prints their rates and costs, and
 * records each figure of ours beside that of each peer.
 *
 * @param messages per round, @default `sizes.messages`
 */
export async function compare(
  bench: Bench,
  contenders: readonly Contender[],
  messages = bench.sizes.messages,
): Promise<Result[]> {
  const { rounds } = bench.sizes;
  const warmUp = Math.min(bench.sizes.warmUp, messages);
  const outputs = contenders.map((): RoundOutput[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { round: name, after, concurrency, queueSize }] of contenders.entries()) {
      const input = {
        messages,
        warmUp,
        ...(concurrency === undefined ? {} : { concurrency }),
        ...(queueSize === undefined ? {} : { queueSize }),
      };
      if (after !== undefined) await bench.run(after, { messages, warmUp });
      const output = after === undefined ? bench.run(name, input) : bench.runOn(name, input);
      outputs[index]?.push(await output);
    }
  }
  const results = outputs.map(resultOf);
  const best = results[0]?.rate.median ?? Number.NaN;
  const rows = results.map(({ rate, nodeUs, redisUs }, index) => [
    contenders[index]?.label ?? '',
    whole(rate.median),
    `${whole(rate.min)} … ${whole(rate.max)}`,
    (best / rate.median).toFixed(2),
    nodeUs.median.toFixed(1),
    redisUs.median.toFixed(1),
  ]);
  bench.print(
    table([['', 'messages/s', 'from … to', 'first/this', 'Node, µs each', 'Redis, µs each'], ...rows]),
  );
  record(bench, contenders, results);
  return results;
}

/** How many times the second rate the first is. */
export const ratio = (first: Result | undefined, second: Result | undefined): number =>
  (first?.rate.median ?? Number.NaN) / (second?.rate.median ?? Number.NaN);

function resultOf(outputs: readonly RoundOutput[]): Result {
  const of = (name: string): Spread => spread(outputs.map((output) => output[name] ?? Number.NaN));
  return { rate: of('rate'), nodeUs: of('nodeUs'), redisUs: of('redisUs') };
}

function record(bench: Bench, contenders: readonly Contender[], results: readonly Result[]): void {
  for (const [i, { figure }] of contenders.entries()) {
    if (figure === undefined) continue;
    for (const [k, peer] of contenders.entries()) {
      if (peer.figure !== undefined) continue;
      for (const measure of Object.keys(UNITS) as (keyof typeof UNITS)[]) {
        const [ours = Number.NaN, theirs = Number.NaN] = [i, k].map((at) => results[at]?.[measure].median);
        bench.record(against(figure, UNITS[measure], ours, peer.label, theirs));
      }
    }
  }
}
