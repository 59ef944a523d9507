import { Redis } from 'ioredis';

/** Redis' `used_memory` in bytes, the lowest of five readings: buffers of busy connections come on top of it. */
export async function usedMemory(port: number): Promise<number> {
  const client = new Redis({ port });
  const readings: number[] = [];
  for (let reading = 0; reading < 5; reading++) {
    const info = await client.info('memory');
    readings.push(Number(/used_memory:(\d+)/.exec(info)?.[1]));
  }
  client.disconnect();
  return Math.min(...readings);
}
