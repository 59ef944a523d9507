import { Queue } from 'bullmq';
import type { RoundInput } from './round.js';

/** Jobs are removed when done, as BullMQ's guide to production advises. */
export const KEPT_NO_LONGER = { removeOnComplete: true, removeOnFail: true };

/** `maxRetriesPerRequest: null` is what BullMQ asks of a worker's connection. */
export const bullmqConnection = ({ redisPort }: RoundInput) => ({
  host: '127.0.0.1',
  port: redisPort,
  maxRetriesPerRequest: null,
});

/** A queue by name. */
export const openQueue = (input: RoundInput, name: string): Queue =>
  new Queue(name, { connection: bullmqConnection(input) });
