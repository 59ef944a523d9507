import type { ModuleMetadata } from '@nestjs/common';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { memoryEngine } from '@delay-queue/memory';
import {
  DelayQueueError,
  DelayQueueModule,
  VirtualClock,
  type DelayQueueModuleOptions,
} from '@delay-queue/nestjs';
import { onTestFinished } from 'vitest';
import { RecordedLog } from './recorded-log.js';

/** A running application with a memory engine, a clock of its own and a log; closed when the test is over. */
export interface Booted {
  readonly app: TestingModule;
  readonly clock: VirtualClock;
  readonly log: RecordedLog;
}

/** What a test adds to the application. */
export interface Addition extends ModuleMetadata {
  readonly options?: Partial<DelayQueueModuleOptions>;
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
}

/** Compiles without starting. */
export async function compile(addition: Addition): Promise<Booted> {
  const { options, override, imports = [], ...metadata } = addition;
  const clock = new VirtualClock();
  const log = new RecordedLog();
  const queue = DelayQueueModule.forRoot({ engine: memoryEngine(), clock, logger: log, ...options });
  const builder = Test.createTestingModule({ ...metadata, imports: [queue, ...imports] });
  const app = await (override ? override(builder) : builder).compile();
  onTestFinished(() => app.close());
  return { app, clock, log };
}

/** Compiles and starts. */
export async function boot(addition: Addition): Promise<Booted> {
  const booted = await compile(addition);
  await booted.app.init();
  return booted;
}

/** The error with which an application does not start. */
export async function bootErrorOf(addition: Addition): Promise<DelayQueueError> {
  try {
    await boot(addition);
  } catch (error) {
    if (error instanceof DelayQueueError) return error;
    throw error;
  }
  throw new Error('the application started');
}
