import { defineConfig } from 'vitest/config';

const conditions = ['@delay-queue/source', 'node'];

/** Faults under load, with real processes and Redis servers: minutes, and one at a time. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/faults/**/*.spec.ts'],
    globalSetup: ['test/faults/support/programs.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 120_000, interval: 200 } },
  },
});
