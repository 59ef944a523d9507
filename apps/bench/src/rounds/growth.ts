import { DelayQueueContext } from '@delay-queue/nestjs';
import { bootApp, TOPIC, type Handler } from './bench-app.js';
import { Countdown } from './countdown.js';
import { inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Meter } from './meter.js';
import type { Round, RoundOutput } from './round.js';
import { spread } from '../spread.js';

/** Messages of one measurement: few beside those that are pending. */
const BATCH = 5_000;
const TIMES = 9;
const HOUR_MS = 3_600_000;
/** Anywhere in the day that the pending ones lie in. */
const anyDelay = (): number => HOUR_MS + Math.floor(Math.random() * 24 * HOUR_MS);

/**
 * What a send, a cancel, and a claim with its settle cost Redis, on top of what is pending: 5,000 are sent, due at
 * random among the pending ones, and cancelled; 5,000 more are sent due at once, claimed and settled. Nine times over;
 * medians. The number of pending messages is the same afterwards.
 */
export const delayQueueGrowth: Round = async (input) => {
  let countdown = new Countdown(0);
  const handler: Handler = { handle: () => countdown.hit() };
  const app = await bootApp(input, { consumer: { concurrency: 256, queueSize: 256 } }, handler);
  const delayQueue = app.get(DelayQueueContext);
  const inspector = delayQueue.inspect(TOPIC);

  const measured = async (work: () => Promise<void>): Promise<RoundOutput> => {
    const meter = await Meter.start(input.redisPort);
    await work();
    return meter.stop(BATCH);
  };
  const send = () =>
    measured(() =>
      inFlight(1_000, BATCH, (index) =>
        delayQueue.send(TOPIC, CONTENT, anyDelay(), { id: `new-${idOf(index)}` }),
      ),
    );
  const cancel = () =>
    measured(() =>
      inFlight(1_000, BATCH, async (index) => {
        const outcome = await delayQueue.cancel(TOPIC, `new-${idOf(index)}`);
        if (outcome !== 'cancelled') throw new Error(`a cancel found it ${outcome}`);
      }),
    );
  const drain = async () => {
    const { waiting: pending } = await inspector.counts();
    await inspector.pause();
    await inFlight(1_000, BATCH, () => delayQueue.send(TOPIC, CONTENT, 0));
    countdown = new Countdown(BATCH);
    return measured(async () => {
      await inspector.resume();
      await countdown.reached;
      for (let open = BATCH; open > 0;) {
        const { waiting, running } = await inspector.counts();
        open = waiting + running - pending;
      }
    });
  };

  const steps = { send, cancel, drain };
  const costs: Record<string, number[]> = {};
  for (let time = 0; time <= TIMES; time++) {
    for (const [name, step] of Object.entries(steps)) {
      const { redisUs = Number.NaN } = await step();
      // The first one warms up.
      if (time > 0) (costs[name] ??= []).push(redisUs);
    }
  }
  await app.close();
  return Object.fromEntries(Object.entries(costs).map(([name, values]) => [name, spread(values).median]));
};
