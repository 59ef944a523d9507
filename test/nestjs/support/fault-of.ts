import type { Provider } from '@nestjs/common';
import type { ConsumerTask } from '@delay-queue/nestjs';
import { expect } from 'vitest';
import { bootErrorOf } from './boot.js';

/** A consumer that does nothing. */
export class IdleConsumer implements ConsumerTask {
  execute(): void {}
}

/** What the INVALID_OPTION error says with which an application of these providers does not start. */
export async function faultOf(providers: Provider[]): Promise<string> {
  const error = await bootErrorOf({ providers });
  expect(error.code).toBe('INVALID_OPTION');
  return error.message;
}
