import type { Scope } from '@nestjs/common';
import type { ConsumerOptions } from '@delay-queue/core';

/** What a consumer class can be given: how it consumes, and where it belongs in the application. */
export interface DelayConsumerOptions extends ConsumerOptions {
  /** The instance it consumes from, as named in `forRoot`. @default 'default' */
  delayQueue?: string;
  /** `Scope.REQUEST` or `Scope.TRANSIENT`: a new object for every message, which `REQUEST` injects. @default one object */
  scope?: Scope;
}
