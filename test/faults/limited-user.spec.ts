import { expect, it } from 'vitest';
import { openStage } from './support/stage.js';
import { expectNobodyRobbed, rejected, worked } from './support/through.js';

/** The safety look of the fleet, ms. */
const SAFETY_LOOK_MS = 1_000;
/** What the queue cannot do without; no INFO, no CONFIG, no PUBLISH, no SUBSCRIBE. */
const RIGHTS = [
  ...['~{faults:*', '~{faults}:*', 'resetchannels', '-@all', '+@connection', '+eval', '+evalsha', '+time'],
  ...['+@sortedset', '+@hash', '+@set', '+get', '+set', '+del', '+exists'],
];

it('a Redis user without INFO, CONFIG and hints: everything works, by safety looks', async () => {
  const stage = await openStage({
    redis: ['--user', 'poor', 'on', '>sesame', ...RIGHTS],
    env: { LEASE: '10s' },
    url: ({ port }) => Promise.resolve(`redis://poor:sesame@127.0.0.1:${port}`),
  });
  const { client } = stage;
  await stage.start(2, 2);
  for (let i = 0; i < 3; i++) await worked(stage);
  const books = await stage.finish();
  expect(books.pending).toBe(0);
  expect(rejected(stage)).toEqual([]);
  expectNobodyRobbed(books);

  const stats = await client.info('commandstats');
  for (const denied of ['info', 'config|get', 'publish', 'subscribe']) {
    expect(stats).toMatch(
      new RegExp(`cmdstat_${denied.replace('|', '\\|')}:calls=\\d+,.*rejected_calls=[1-9]`),
    );
  }
  expect(stats).toMatch(/cmdstat_publish:calls=0,/);
  const lateness = stage
    .entries()
    .flatMap((entry) => (entry.event === 'started' && entry.attempt === 1 ? [entry.at - entry.dueAt] : []))
    .sort((a, b) => a - b);
  const at = (share: number) => lateness[Math.floor((lateness.length - 1) * share)] ?? Infinity;
  console.log(`lateness: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms`);
  expect(at(0.5)).toBeLessThan(SAFETY_LOOK_MS);
  // Each process says it once.
  for (const told of ['cannot subscribe', 'INFO and CONFIG GET']) {
    const lines = stage.entries().filter((entry) => entry.event === 'log' && entry.message.includes(told));
    expect(lines.map(({ by }) => by).sort(), told).toEqual([
      'consumer1',
      'consumer2',
      'producer3',
      'producer4',
    ]);
  }
});
