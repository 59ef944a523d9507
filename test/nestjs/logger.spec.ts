import type { LoggerService } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { memoryEngine } from '@delay-queue/memory';
import { DelayConsumer, DelayQueueModule } from '@delay-queue/nestjs';
import { expect, it, onTestFinished } from 'vitest';

@DelayConsumer('topic')
class OnDefault {
  execute() {}
}

@DelayConsumer('topic', { delayQueue: 'audit' })
class OnAudit {
  execute() {}
}

it("without a logger of one's own Nest's is used, with the instance as its context", async () => {
  const lines: string[] = [];
  const note = (message: unknown, context: unknown) =>
    void lines.push(`${String(context)}: ${String(message)}`);
  const logger: LoggerService = { log: note, warn: note, error: note };
  const app = await Test.createTestingModule({
    imports: [
      DelayQueueModule.forRoot({ engine: memoryEngine() }),
      DelayQueueModule.forRoot({ engine: memoryEngine(), name: 'audit' }),
    ],
    providers: [OnDefault, OnAudit],
  })
    .setLogger(logger)
    .compile();
  onTestFinished(() => app.close());
  await app.init();
  expect(lines).toContain('DelayQueue: Consuming topic (OnDefault in RootTestModule)');
  expect(lines).toContain('DelayQueue:audit: Consuming topic (OnAudit in RootTestModule)');
});
