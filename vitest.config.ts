import { defineConfig } from 'vitest/config';

const conditions = ['@delay-queue/source', 'node', 'import', 'module', 'default'];

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.spec.ts'],
    globalSetup: ['test/support/shared-redis.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
