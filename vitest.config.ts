import { defineConfig } from 'vitest/config';

// Vitest hands these to its workers, where they hold for `require` too: 'import' or 'module' would break CommonJS packages.
const conditions = ['@delay-queue/source', 'node'];

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.spec.ts'],
    // Minutes: `npm run test:faults`.
    exclude: ['test/faults/**'],
    globalSetup: ['test/support/shared-redis.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // A loaded machine may take long to reach a condition; it is the condition that is tested.
    expect: { poll: { timeout: 20_000 } },
  },
});
