import 'reflect-metadata';
import { PARAMTYPES_METADATA, SELF_DECLARED_DEPS_METADATA } from '@nestjs/common/constants.js';
import type { Class } from './consumer-candidate.js';

/**
 * The name of the class whose constructor Nest will call with nothing although it has parameters: TypeScript
 * leaves their types only on decorated classes, and a subclass without a constructor inherits what is not there.
 */
export function lacksParameterTypes(constructed: Class): string | undefined {
  for (
    let at: unknown = constructed;
    typeof at === 'function' && at.prototype;
    at = Reflect.getPrototypeOf(at)
  ) {
    if (Reflect.hasOwnMetadata(PARAMTYPES_METADATA, at)) return undefined;
    if (Reflect.hasOwnMetadata(SELF_DECLARED_DEPS_METADATA, at)) return undefined;
    if (at.length > 0) return at.name;
    if (hasConstructor(at)) return undefined;
  }
  return undefined;
}

/** A constructor without parameters and none at all have the same `length`; only the source tells them apart. */
const hasConstructor = (target: object): boolean =>
  /\bconstructor\s*\(/.test(Function.prototype.toString.call(target));
