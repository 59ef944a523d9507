/*
 * Rounds of pg-boss, which wants a newer Node than the rest of the benchmark: this file runs in a process of that Node,
 * and is told and tells what the other rounds are told and tell.
 *
 * Configured for speed as its documentation advises: jobs fetched in batches, at once again after a full one
 * (`burstWhenBatchFull`), the shortest polling interval otherwise; no cron and no supervision while the clock runs.
 */
import { PgBoss } from 'pg-boss';

const QUEUE = 'bench';
const CONTENT = { text: 'x'.repeat(89) };
const HOUR_S = 3_600;
const BATCH = 1_000;
const IN_FLIGHT = 1_000;
const CONNECTIONS = 10;

const ROUNDS = {
  sends: (input) => sending(input, (boss, count) => inFlight(IN_FLIGHT, count, () => send(boss))),
  singles: (input) => sending(input, (boss, count) => inFlight(1, count, () => send(boss))),
  bulks: (input) => sending(input, (boss, count) => insert(boss, count, HOUR_S)),
  drain,
};

process.once('message', ({ name, input }) => {
  void ROUNDS[name](input).then((output) => {
    process.send(output);
    process.disconnect();
  });
});

async function open(url) {
  const boss = new PgBoss({ connectionString: url, max: CONNECTIONS, supervise: false, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE);
  return boss;
}

const send = (boss) => boss.send(QUEUE, CONTENT, { startAfter: HOUR_S });

async function insert(boss, count, startAfter) {
  for (let done = 0; done < count; done += BATCH) {
    const job = { data: CONTENT, startAfter };
    await boss.insert(QUEUE, new Array(Math.min(BATCH, count - done)).fill(job));
  }
}

async function sending({ url, warmUp, messages }, act) {
  const boss = await open(url);
  await act(boss, warmUp);
  const startedAt = performance.now();
  await act(boss, messages);
  const seconds = (performance.now() - startedAt) / 1_000;
  await boss.stop({ graceful: false });
  return { rate: messages / seconds };
}

/** Jobs whose time has come, run by one worker with an empty handler, until the last has been handled. */
async function drain({ url, messages }) {
  const boss = await open(url);
  await insert(boss, messages, 1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  let left = messages;
  let allHandled;
  const handled = new Promise((resolve) => (allHandled = resolve));
  const options = { batchSize: BATCH, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
  const startedAt = performance.now();
  await boss.work(QUEUE, options, async (jobs) => {
    left -= jobs.length;
    if (left === 0) allHandled();
  });
  await handled;
  const seconds = (performance.now() - startedAt) / 1_000;
  await boss.stop({ graceful: true });
  return { rate: messages / seconds };
}

async function inFlight(limit, total, act) {
  let next = 0;
  const lane = async () => {
    while (next < total) await act(next++);
  };
  await Promise.all(Array.from({ length: Math.min(limit, total) }, lane));
}
