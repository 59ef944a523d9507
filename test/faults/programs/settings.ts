import type { DelayQueueOptions } from '@delay-queue/nestjs';
import { redisEngine } from '@delay-queue/redis';
import { Journal } from '../support/journal.js';
import { DEDUPED } from '../support/work.js';

const { JOURNALS = '', NAME = '', NAMESPACE = '', REDIS_URL = '' } = process.env;
const { DRAIN = '10s', LEASE = '2s', REGIONS, REPLICAS } = process.env;

/** What this process writes down. */
export const journal = new Journal(JOURNALS, NAME);

const log = (level: string) => (message: string, details?: unknown) =>
  journal.write({ event: 'log', level, message, details });

/** The options of the queue, from the environment. */
export const options: DelayQueueOptions = {
  engine: redisEngine({
    connection: REDIS_URL,
    ...(REPLICAS === undefined ? {} : { durability: { replicas: Number(REPLICAS) } }),
  }),
  namespace: NAMESPACE,
  topics: { [DEDUPED]: { dedupe: '1m' } },
  ...(REGIONS === undefined ? {} : { regions: Number(REGIONS) }),
  consumer: { lease: LEASE, drain: DRAIN, safetyLook: '1s' },
  // No message ends by the crashes of others: in these tests only what its handler says is a dead letter.
  retry: { attempts: 5, crashes: 1000, backoff: 200 },
  logger: { log: log('log'), warn: log('warn'), error: log('error') },
};
