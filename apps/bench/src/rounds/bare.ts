import { Redis } from 'ioredis';
import { Countdown } from './countdown.js';
import { inFlight } from './in-flight.js';
import { CONTENT, idOf } from './message.js';
import { Meter } from './meter.js';
import type { Round, RoundInput } from './round.js';

/*
 * What the commands alone cost: the same sorted set and hash per region, written and removed by variadic commands
 * that are batched like ours, with a promise per message. No leases, counters, duplicates, cancelling or hints.
 */

const REGIONS = 5;
const HOUR_MS = 3_600_000;
/** Messages that each region has under way, as many in all as ours with 512 slots. */
const BATCH = 102;

const dueKey = (region: number): string => `{bare:${region}}:due`;
const messageKey = (region: number): string => `{bare:${region}}:message`;

interface Waiting {
  readonly id: string;
  readonly due: number;
  readonly resolve: () => void;
}

/** Collects what is sent in a turn, and while a call is under way, into one ZADD and one HSET per region. */
class Sender {
  readonly #client: Redis;
  readonly #waiting = Array.from({ length: REGIONS }, (): Waiting[] => []);
  readonly #underWay = new Set<number>();
  #woken = false;
  #sent = 0;

  constructor({ redisPort }: RoundInput) {
    this.#client = new Redis({ port: redisPort });
  }

  send(delayMs: number): Promise<void> {
    const number = this.#sent++;
    return new Promise((resolve) => {
      this.#waiting[number % REGIONS]?.push({ id: idOf(number), due: Date.now() + delayMs, resolve });
      if (this.#woken) return;
      this.#woken = true;
      setImmediate(() => this.#flush());
    });
  }

  close(): void {
    this.#client.disconnect();
  }

  #flush(): void {
    this.#woken = false;
    for (let region = 0; region < REGIONS; region++) void this.#write(region);
  }

  async #write(region: number): Promise<void> {
    const batch = this.#waiting[region] ?? [];
    if (batch.length === 0 || this.#underWay.has(region)) return;
    this.#waiting[region] = [];
    this.#underWay.add(region);
    await Promise.all([
      this.#client.zadd(dueKey(region), ...batch.flatMap(({ id, due }) => [due, id])),
      this.#client.hset(messageKey(region), ...batch.flatMap(({ id }) => [id, JSON.stringify(CONTENT)])),
    ]);
    this.#underWay.delete(region);
    for (const { resolve } of batch) resolve();
    await this.#write(region);
  }
}

/** 1,000 in flight. */
export const bareSends: Round = async (input) => {
  const sender = new Sender(input);
  await inFlight(1_000, input.warmUp, () => sender.send(HOUR_MS));
  const meter = await Meter.start(input.redisPort);
  await inFlight(1_000, input.messages, () => sender.send(HOUR_MS));
  const output = await meter.stop(input.messages);
  sender.close();
  return output;
};

/** What the drain finds. */
export const bareFill: Round = async (input) => {
  const sender = new Sender(input);
  await inFlight(5_000, input.warmUp + input.messages, () => sender.send(0));
  sender.close();
  return {};
};

/** Reads what is due, runs an empty async handler, and removes it, all regions side by side. */
export const bareDrain: Round = async (input) => {
  const client = new Redis({ port: input.redisPort });
  await handle(client, input.warmUp);
  const meter = await Meter.start(input.redisPort);
  await handle(client, input.messages);
  const output = await meter.stop(input.messages);
  client.disconnect();
  return output;
};

/** Handles so many, of each region an equal share: the senders took turns too. */
async function handle(client: Redis, messages: number): Promise<void> {
  const countdown = new Countdown(messages);
  const handler = async (content: unknown): Promise<void> => {
    if (content === CONTENT) countdown.hit();
    return Promise.resolve();
  };
  const region = async (index: number): Promise<void> => {
    let left = messages / REGIONS;
    while (left > 0) {
      const most = Math.min(BATCH, left);
      const ids = await client.zrange(dueKey(index), '-inf', `${Date.now()}`, 'BYSCORE', 'LIMIT', 0, most);
      if (ids.length === 0) throw new Error(`region ${index} lacks ${left} messages`);
      left -= ids.length;
      const contents = await client.hmget(messageKey(index), ...ids);
      await Promise.all(contents.map((content) => handler(JSON.parse(content ?? 'null'))));
      await Promise.all([client.zrem(dueKey(index), ...ids), client.hdel(messageKey(index), ...ids)]);
    }
  };
  await Promise.all(Array.from({ length: REGIONS }, (_, index) => region(index)));
  await countdown.reached;
}
