import type { Bench } from '../bench.js';
import { against, alone } from '../figure.js';
import { latenessCurves } from '../plots/lateness.js';
import { REPORTED } from '../rounds/percentiles.js';
import type { RoundOutput } from '../rounds/round.js';
import { table, whole } from '../table.js';
import { atLeast, atMost, type Target } from '../target.js';
import { SIDES, steady } from './steady.js';

/** The rate at which p99 has targets. */
const AIMED_AT = 1_000;

/** First on an idle system, without help of the safety look; then at steady rates, with many pending. */
export async function lateness(bench: Bench): Promise<Target[]> {
  return [...(await idle(bench)), ...(await busy(bench))];
}

async function idle(bench: Bench): Promise<Target[]> {
  const messages = bench.sizes.lateMessages;
  const late = await bench.run('delay-queue lateness', { messages, warmUp: 0 });
  bench.print(
    `\nLateness: ${whole(messages)} messages due over 5 s on an idle system, without help of the safety look`,
  );
  bench.print(table([header('ms'), row('delay queue', late)]));
  for (const share of REPORTED) bench.record(alone(`lateness when idle, ${share}`, 'ms', late[share] ?? NaN));
  const { min = Number.NaN, p99 = Number.NaN } = late;
  return [
    atLeast('earliest start after the due time', min, 0, ' ms'),
    atMost('p99 of lateness when idle', p99, 10, ' ms'),
  ];
}

async function busy(bench: Bench): Promise<Target[]> {
  const { pending, rates, seconds } = bench.sizes;
  bench.print(
    `\nLateness: a steady stream, produced and handled by a process each, with ${whole(pending)} others pending`,
  );
  for (const side of SIDES) await bench.runOn(side.pending, { messages: pending, warmUp: 0 });
  const rows: string[][] = [];
  const streams = new Map<string, RoundOutput>();
  const targets: Target[] = [];
  for (const rate of rates) {
    const late: RoundOutput[] = [];
    for (const side of SIDES) {
      const label = `${side.label}, ${whole(rate)}/s`;
      const measured = await steady(bench, side, rate, seconds);
      late.push(measured);
      streams.set(label, measured);
      rows.push(row(label, measured));
    }
    const [ours = {}, theirs = {}] = late;
    for (const share of REPORTED) {
      const [mine = NaN, its = NaN] = [ours[share], theirs[share]];
      bench.record(against(`lateness at ${rate}/s, ${share}`, 'ms', mine, 'BullMQ', its));
    }
    if (rate !== AIMED_AT) continue;
    const { p99 = NaN } = ours;
    targets.push(
      atMost(`p99 of lateness at ${rate}/s`, p99, 10, ' ms'),
      atMost(
        `p99 of lateness at ${rate}/s, share of BullMQ's`,
        (100 * p99) / (theirs['p99'] ?? NaN),
        20,
        ' %',
      ),
    );
  }
  bench.print(table([header('ms'), ...rows]));
  bench.draw('lateness', latenessCurves(streams));
  return targets;
}

const header = (unit: string): string[] => [unit, ...REPORTED];
const row = (label: string, late: RoundOutput): string[] => [
  label,
  ...REPORTED.map((share) => `${late[share] ?? NaN}`),
];
