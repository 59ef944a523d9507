import { expect, it, onTestFinished } from 'vitest';
import { slotOf } from '../support/slot-of.js';
import { uniqueNamespace } from '../support/unique.js';
import { message } from './messages.js';
import { openEngine } from './open-engines.js';
import { startCluster } from './redis-cluster.js';

const TOPIC = 'order:timeout';
/** Without one of them the others go on. */
const MASTERS = 3;
const CLAIM = { max: 10, leaseMs: 1_000, maxCrashes: 5 };

it('a master that is away keeps nobody from recovering what crashed in the regions of another', async () => {
  const cluster = await startCluster(MASTERS);
  onTestFinished(() => cluster.stop());
  const connection = { nodes: cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port })) };
  const namespace = uniqueNamespace();
  const regionOf = (master: number) => {
    for (let index = 0; ; index++) {
      const slot = slotOf(`{${namespace}:${TOPIC}:${index}}`);
      if (Math.floor((slot * MASTERS) / 16_384) === master) return { topic: TOPIC, index };
    }
  };
  const away = regionOf(0);
  const there = regionOf(1);
  const crashing = await openEngine(connection, { namespace });
  await crashing.put(there, [message('a')], { epoch: 1 });
  await expect.poll(async () => (await crashing.claim(there, CLAIM)).lease).toBeDefined();

  const living = await openEngine(connection, { namespace });
  cluster.servers[0]?.signal('SIGKILL');
  const look = async () => {
    await living.claim(away, CLAIM).catch(() => undefined);
    return (await living.claim(there, CLAIM)).messages.map(({ id }) => id);
  };
  await expect.poll(look).toEqual(['a']);
}, 60_000);
