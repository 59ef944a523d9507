import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startRedis } from '../support/redis-server.js';
import { startClosing } from './support/closing.js';

/** So that the heap holds no compiled code, which grows for a while whatever is done. */
const PLAIN_HEAP = ['--expose-gc', '--no-opt', '--no-sparkplug'];

/** Room for what a heap varies by from one look to the next; one application kept alive is far more. */
const PER_CYCLE_BYTES = 10_000;

it('a hundred applications in one process leave no connection, listener, timer or memory behind', async () => {
  const server = await startRedis();
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  const child = startClosing('cycles', { REDIS_URL: server.url }, PLAIN_HEAP);
  const { code, signal, errors } = await child.ended;
  expect({ code, signal, errors }).toEqual({ code: 0, signal: null, errors: '' });
  expect([...child.said('warning'), ...child.said('unhandled')]).toEqual([]);
  expect(child.said('closed')).toMatchObject([{ active: [] }]);
  const [warm, last] = child.said('left');
  if (warm === undefined || last === undefined) throw new Error('it did not say what was left');
  expect(last.listeners).toEqual(warm.listeners);
  // The test's own, and the client that was handed in.
  expect([warm.connections, last.connections]).toEqual([2, 2]);
  expect(last.handled).toBe(90 * 20);
  const perCycle = (last.heapBytes - warm.heapBytes) / (last.cycles - warm.cycles);
  console.log(`${Math.round(perCycle)} bytes of heap per application`);
  expect(perCycle).toBeLessThan(PER_CYCLE_BYTES);
});
