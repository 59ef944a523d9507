import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { ConsumerTask, Handler } from '@delay-queue/core';
import type { Candidate } from './consumer-candidate.js';

/** What core calls for each message of a consumer. */
export function handlerOf(candidate: Candidate): Handler {
  if (candidate.perMessage) return perMessage(candidate);
  const consumer = candidate.instance as ConsumerTask;
  return (content, message) => consumer.execute(content, message);
}

/**
 * A new object for every message, with the message as `REQUEST`, resolved inside the consumer's own module. A
 * durable one is shared as the application's `ContextIdStrategy` says, so it gets that strategy's payload instead.
 */
function perMessage({ wrapper, module }: Candidate): Handler {
  const moduleRef = module.getProviderByKey<ModuleRef>(ModuleRef).instance;
  const token = wrapper.token as Parameters<ModuleRef['resolve']>[0];
  return async (content, message) => {
    const contextId = ContextIdFactory.getByRequest(message);
    const shared = contextId.payload !== undefined && wrapper.isDependencyTreeDurable();
    moduleRef.registerRequestByContextId(shared ? contextId.payload : message, contextId);
    const consumer = await moduleRef.resolve<ConsumerTask>(token, contextId, { strict: true });
    return consumer.execute(content, message);
  };
}
