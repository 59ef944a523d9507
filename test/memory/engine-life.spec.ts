import { memoryEngine, MemoryStore } from '@delay-queue/memory';
import { expect, it } from 'vitest';
import { TestClock } from '../contract/support/test-clock.js';
import { claim, message, openEngine, put, REGION } from './support.js';

it('rejects every call after close, and closes twice', async () => {
  const engine = await openEngine();
  const { inspector } = engine;
  await engine.close();
  await engine.close();
  const epoch = { epoch: 0 };
  const calls = [
    () => engine.open(),
    () => engine.topology('t'),
    () => engine.put(REGION, [message('a', 1)], epoch),
    () => engine.cancel(REGION, ['a'], epoch),
    () => engine.reschedule(REGION, 'a', { delayMs: 1 }, epoch),
    () => claim(engine),
    () => engine.settle(REGION, 'lease', [], { dedupeMs: 0 }),
    () => engine.renew(REGION, ['lease'], 1),
    async () => inspector?.counts(REGION),
    async () => inspector?.page(REGION, 'waiting', 0, 1),
    async () => inspector?.find(REGION, 'a', epoch),
    async () => inspector?.redrive(REGION, ['a']),
    async () => inspector?.discard(REGION, ['a']),
    async () => inspector?.setPaused('t', [0], true),
    async () => inspector?.dueSoon(REGION, 1),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'CLOSED' });
});

it('holds nothing after a close that overtook its claim', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const [one, two] = [await openEngine(store, clock), await openEngine(store, clock)];
  await put(one, message('a', 0));
  const pending = claim(one);
  await one.close();
  await expect(pending).rejects.toMatchObject({ code: 'CLOSED' });
  expect((await claim(two)).messages).toMatchObject([{ id: 'a', deliveries: 0 }]);
});

it('hears no hints after close', async () => {
  const store = new MemoryStore();
  const clock = new TestClock();
  const [one, two] = [await openEngine(store, clock), await openEngine(store, clock)];
  let [heard, closed] = [0, 0];
  one.watch(() => closed++);
  two.watch(() => heard++);
  await one.close();
  await put(two, message('a', 0));
  await expect.poll(() => heard).toBe(1);
  expect(closed).toBe(0);
});

it('has a store of its own for each delay queue unless one is handed in', async () => {
  const context = { namespace: 'test', clock: new TestClock(), logger: console };
  const factory = memoryEngine();
  const [one, two] = [factory(context), factory(context)];
  await put(one, message('a', 0));
  expect((await claim(two)).messages).toEqual([]);
  expect((await claim(one)).messages).toHaveLength(1);
});

it('refuses options it does not know, and a limit beside a store', () => {
  const wrong = [
    { maxMesages: 5 } as object,
    null as unknown as object,
    5 as unknown as object,
    { store: new MemoryStore(), maxMessages: 5 },
  ];
  for (const options of wrong) {
    expect(() => memoryEngine(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  }
});

it('lets I/O in between two claims of a backlog', async () => {
  const engine = await openEngine();
  await put(engine, ...Array.from({ length: 100 }, (_, i) => message(`m${i}`, 0)));
  let turns = 0;
  const turn = () => {
    turns++;
    if (turns < 1_000) setImmediate(turn);
  };
  setImmediate(turn);
  for (let i = 0; i < 100; i++) await claim(engine, 1);
  expect(turns).toBeGreaterThanOrEqual(99);
});
