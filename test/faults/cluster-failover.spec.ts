import { expect, it } from 'vitest';
import { openClusterPlay, slotOfMessage, spread, type ClusterPlay } from './support/cluster-play.js';
import { forgetLost, type Loss, type Start } from './support/forget-lost.js';
import type { Entry } from './support/journal.js';

const CONSUMERS = 3;
const PRODUCERS = 2;
/** Messages that are handled while the replica of their master gets nothing. */
const LOST = 20;
/** Messages that are sent, and as many that are handled, in regions of the new master. */
const GOES_ON = 30;
const RESUMED_MS = 10_000;

it('a master that is killed: its replica takes over, nothing is lost, and it comes back as a replica', async () => {
  const loss: Loss = { from: 0, to: 0, concerns: () => false };
  let forgotten = 0;
  const play = await openClusterPlay({
    env: { LEASE: '4s', REPLICAS: '1' },
    edit(entries) {
      const edited = forgetLost(entries, loss);
      forgotten = edited.forgotten.length;
      return edited.kept;
    },
  });
  await play.start(CONSUMERS, PRODUCERS);
  await spread(play);
  const { master, replica } = play.dice.pick(play.pairs);
  const slots = await play.slotsOf(master);
  loss.concerns = ({ topic, id }) => {
    const slot = slotOfMessage(play.namespace, topic, id);
    return slots.some(([first, last]) => first <= slot && slot <= last);
  };

  await play.fault('failover', async () => {
    // What the replica has not got is lost, so it gets nothing for a while.
    loss.from = Date.now();
    replica.server.signal('SIGSTOP');
    await master.client.call('CLIENT', 'KILL', 'TYPE', 'replica');
    await expect.poll(() => handled(play, loss, loss.from).length).toBeGreaterThan(LOST);
    master.server.signal('SIGKILL');
    loss.to = Date.now();
    replica.server.signal('SIGCONT');
    await expect.poll(async () => (await replica.client.role())[0], { interval: 50 }).toBe('master');
    const promotedAt = Date.now();

    const fresh = () => handled(play, loss, promotedAt).filter(({ sentAt }) => sentAt > promotedAt);
    await expect.poll(() => fresh().length).toBeGreaterThan(GOES_ON);
    const sent = Math.min(...fresh().map(({ sentAt }) => sentAt)) - promotedAt;
    const started = (handled(play, loss, promotedAt)[0]?.at ?? Infinity) - promotedAt;
    console.log(
      `a replica took over ${promotedAt - loss.to} ms after the kill; in its regions the first send came after ` +
        `${sent} ms, the first handler after ${started} ms`,
    );
    expect(sent).toBeLessThan(RESUMED_MS);
    expect(started).toBeLessThan(RESUMED_MS);

    await master.server.restart();
    await expect.poll(() => master.client.role()).toEqual(expect.arrayContaining(['slave', 'connected']));
    const backAt = Date.now();
    await expect.poll(() => confirmed(play, loss, backAt).length).toBeGreaterThan(GOES_ON);
  });

  const books = await play.finish();
  console.log(`runs that the failover forgot: ${forgotten}`);
  expect(forgotten).toBeGreaterThan(0);
  expect(books.pending).toBe(0);
  expect(books.sent).toBeGreaterThan(500);
});

/** Starts of handlers from a time on, in regions of the lost master. */
function handled(play: ClusterPlay, { concerns }: Loss, from: number): readonly Start[] {
  return play.entries().flatMap((entry) => {
    return entry.event === 'started' && entry.at > from && concerns(entry) ? [entry] : [];
  });
}

/** Sends that resolved from a time on, of messages that were handled in those regions. */
function confirmed(play: ClusterPlay, loss: Loss, from: number): readonly Entry[] {
  const ids = new Set(handled(play, loss, from).map(({ id }) => id));
  return play.entries().filter((entry) => entry.event === 'sent' && entry.at > from && ids.has(entry.id));
}
