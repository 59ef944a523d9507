import type { TestProject } from 'vitest/node';
import { startRedis } from './redis-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the Redis that all test files share; each test uses a namespace of its own. */
    redisUrl: string;
  }
}

/** Vitest's global set-up: one Redis for every test that breaks nothing. */
export default async function sharedRedis(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRedis();
  project.provide('redisUrl', server.url);
  return () => server.stop();
}
