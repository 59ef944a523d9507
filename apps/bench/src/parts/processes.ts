import type { Bench } from '../bench.js';
import { against } from '../figure.js';
import type { RoundName } from '../round-process.js';
import { spread } from '../spread.js';
import { table, whole } from '../table.js';
import type { Target } from '../target.js';

const PROCESSES = 2;
const SLOTS = 256;
/** For the processes to boot. */
const LEAD_MS = 2_500;

/** Two consumer processes drain one backlog; they and Redis share the cores of this machine. */
export async function processes(bench: Bench): Promise<Target[]> {
  const { messages, rounds } = bench.sizes;
  const rates = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.ours.push(await rate(bench, 'delay-queue fill', 'delay-queue share'));
    rates.theirs.push(await rate(bench, 'bullmq fill', 'bullmq share'));
  }
  const [ours, theirs] = [spread(rates.ours), spread(rates.theirs)];
  bench.print(
    `\nTwo processes: ${whole(messages)} overdue messages, drained by ${PROCESSES} processes of ${SLOTS} slots each`,
  );
  bench.print(
    table([
      ['', 'messages/s', 'from … to'],
      ...Object.entries({ 'delay queue': ours, BullMQ: theirs }).map(([name, { median, min, max }]) => [
        name,
        whole(median),
        `${whole(min)} … ${whole(max)}`,
      ]),
    ]),
  );
  bench.record(against('drain by two processes', 'messages/s', ours.median, 'BullMQ', theirs.median));
  return [];
}

async function rate(bench: Bench, fill: RoundName, share: RoundName): Promise<number> {
  const { messages } = bench.sizes;
  await bench.run(fill, { messages, warmUp: 0 });
  const startAt = Date.now() + LEAD_MS;
  const input = { messages, warmUp: 0, startAt, concurrency: SLOTS, queueSize: SLOTS };
  const ends = await Promise.all(Array.from({ length: PROCESSES }, () => bench.runOn(share, input)));
  const doneAt = Math.max(...ends.map(({ doneAt: at = Number.NaN }) => at));
  return (messages * 1_000) / (doneAt - startAt);
}
