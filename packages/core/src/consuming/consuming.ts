import type { Clock } from '../clock.js';
import type { ConsumerProperties } from '../delay-queue-properties.js';
import type { DelayEngine } from '../engine.js';
import type { AsyncScope } from '../async-scope.js';
import type { ConsumerLog } from './consumer-log.js';
import type { ReplyLimit } from './reply-limit.js';

/** What the parts of one consumer queue share. */
export interface Consuming {
  readonly topic: string;
  readonly properties: ConsumerProperties;
  readonly engine: DelayEngine;
  readonly clock: Clock;
  readonly log: ConsumerLog;
  readonly scope: AsyncScope;
  readonly replies: ReplyLimit;
  /** Something changed: at the end of this turn verdicts are sent, slots filled and regions looked at. */
  wake(): void;
}
