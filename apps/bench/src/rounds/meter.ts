import { Redis } from 'ioredis';
import type { RoundOutput } from './round.js';

/** Measures a stretch of work: its rate, and what it cost this process and Redis. */
export class Meter {
  private startedAt = 0;
  private nodeUs = 0;
  private redisUs = 0;

  private constructor(private readonly observer: Redis) {}

  /** Starts the clock. */
  static async start(redisPort: number): Promise<Meter> {
    const meter = new Meter(new Redis({ port: redisPort }));
    meter.redisUs = await redisCpuUs(meter.observer);
    meter.nodeUs = nodeCpuUs();
    meter.startedAt = performance.now();
    return meter;
  }

  /** Stops it: messages per second, and microseconds of CPU time per message. */
  async stop(messages: number): Promise<RoundOutput> {
    const seconds = (performance.now() - this.startedAt) / 1_000;
    const nodeUs = (nodeCpuUs() - this.nodeUs) / messages;
    const redisUs = ((await redisCpuUs(this.observer)) - this.redisUs) / messages;
    this.observer.disconnect();
    return { rate: messages / seconds, nodeUs, redisUs };
  }
}

function nodeCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function redisCpuUs(client: Redis): Promise<number> {
  const info = await client.info('cpu');
  const seconds = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1_000_000;
}
