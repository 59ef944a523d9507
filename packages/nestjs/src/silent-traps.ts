import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { bootError } from './boot-error.js';
import { scopeOf } from './class-scope.js';
import { lacksParameterTypes } from './constructor-parameters.js';
import type { Candidate, Class } from './consumer-candidate.js';
import { methodOf } from './method-of.js';

const ENHANCERS = new Map([
  [GUARDS_METADATA, 'guards'],
  [PIPES_METADATA, 'pipes'],
  [INTERCEPTORS_METADATA, 'interceptors'],
  [EXCEPTION_FILTERS_METADATA, 'exception filters'],
]);

/**
 * Finds what Nest or TypeScript would let pass and what then would not do what it says.
 *
 * @throws DelayQueueError INVALID_OPTION
 */
export function checkForSilentTraps(candidate: Candidate): void {
  const { label, describing, constructed, instance } = candidate;
  const execute = instance && methodOf(instance, 'execute');
  if (instance !== undefined && execute === undefined) {
    throw bootError(
      label,
      candidate.perMessage
        ? 'a consumer that is made per message needs execute(content, message) as a method of its class, not as a property'
        : 'a consumer needs a method execute(content, message); this provider has none',
    );
  }
  if (instance === undefined && !candidate.perMessage) {
    throw bootError(label, 'the provider of a consumer must be an object with execute(content, message)');
  }
  for (const place of [describing, constructed, execute]) if (place) checkEnhancers(label, place);
  for (const each of [describing, constructed]) if (each) checkParameters(label, each);
  if (constructed) checkConstruction(candidate, constructed);
}

/** Supported later; until then they would be skipped without a word, and a guard that is skipped lets all pass. */
function checkEnhancers(label: string, place: object): void {
  for (const [key, kind] of ENHANCERS) {
    if (Reflect.getMetadata(key, place) === undefined) continue;
    throw bootError(
      label,
      `${kind} are not supported on consumers yet and would not run: remove them, and check or wrap inside execute`,
    );
  }
}

function checkParameters(label: string, consumer: Class): void {
  if (Reflect.getMetadata(ROUTE_ARGS_METADATA, consumer, 'execute') === undefined) return;
  throw bootError(
    label,
    'parameter decorators on execute are not supported yet: it always gets (content, message), remove them',
  );
}

function checkConstruction(candidate: Candidate, constructed: Class): void {
  const { label, declaration } = candidate;
  const scope = declaration?.options.scope;
  if (scope !== undefined && (scopeOf(constructed)?.scope ?? 0) !== scope) {
    throw bootError(
      label,
      'the scope given to @DelayConsumer is lost, because an @Injectable above it or on the subclass replaces it: remove that @Injectable, or give the scope there',
    );
  }
  const untyped = lacksParameterTypes(constructed);
  if (untyped !== undefined) {
    throw bootError(
      label,
      `Nest cannot know what to inject into the constructor of ${untyped}, because that class has no decorator (or emitDecoratorMetadata is off): decorate it with @Injectable()`,
    );
  }
}
