import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DelayQueueContext } from '@delay-queue/nestjs';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { uniqueNamespace } from '../support/unique.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(import.meta.dirname, '.readme');

/** A code block of the README that names its file in the first line. */
const FILE_BLOCK = /```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g;

describe('the code in the README', () => {
  beforeAll(async () => {
    await rm(FOLDER, { recursive: true, force: true });
    await mkdir(FOLDER, { recursive: true });
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    // The tests share one Redis, so the README's namespace becomes one of this run.
    const code = readme.replace("namespace: 'shop'", `namespace: '${uniqueNamespace()}'`);
    for (const [, file, text] of code.matchAll(FILE_BLOCK))
      await writeFile(join(FOLDER, `${file}`), `${text}`);
    process.env['REDIS_URL'] = inject('redisUrl');
  });

  afterAll(() => rm(FOLDER, { recursive: true, force: true }));

  test('compiles under strict', { timeout: 120_000 }, async () => {
    const config = {
      extends: '../../../tsconfig.base.json',
      compilerOptions: {
        noEmit: true,
        composite: false,
        incremental: false,
        customConditions: ['@delay-queue/source'],
      },
      include: ['*.ts'],
    };
    await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', FOLDER]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });

  test('three steps: sends, cancels and handles against Redis', async () => {
    const { AppModule } = (await import(join(FOLDER, 'app.module.ts'))) as { AppModule: Type };
    const { OrderService } = (await import(join(FOLDER, 'order.service.ts'))) as {
      OrderService: Type<Orders>;
    };
    const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
    try {
      const orders = app.get(OrderService);
      await orders.create('order-1');
      await orders.create('order-2');
      expect(await orders.pay('order-1')).toBe('cancelled');

      const { DelayQueueContext } = await import('@delay-queue/nestjs');
      const delayQueue = app.get(DelayQueueContext);
      expect(await delayQueue.reschedule('order:timeout', 'order-2', 0)).toBe('rescheduled');
      await expect.poll(() => orders.state('order-2'), { timeout: 5_000 }).toBe('closed');
      expect(orders.state('order-1')).toBe('paid');
    } finally {
      await app.close();
    }
  });

  test('tests the consumer without waiting', async () => {
    const { unpaidOrderIsClosed } = (await import(join(FOLDER, 'order-timeout.test.ts'))) as {
      unpaidOrderIsClosed(): Promise<unknown>;
    };
    expect(await unpaidOrderIsClosed()).toEqual(['closed', 'paid']);
  });

  test('every verb works as shown', async () => {
    const { AppModule } = (await import(join(FOLDER, 'app.module.ts'))) as { AppModule: Type };
    const { everyVerb } = (await import(join(FOLDER, 'every-verb.ts'))) as {
      everyVerb(delayQueue: DelayQueueContext): Promise<{ waiting: number }>;
    };
    const { DelayQueueContext } = await import('@delay-queue/nestjs');
    const app = await NestFactory.createApplicationContext(AppModule, { logger: ['error', 'warn'] });
    try {
      expect((await everyVerb(app.get(DelayQueueContext))).waiting).toBe(4);
    } finally {
      await app.close();
    }
  });
});

interface Orders {
  create(orderNo: string): Promise<void>;
  pay(orderNo: string): Promise<string>;
  state(orderNo: string): string | undefined;
}
