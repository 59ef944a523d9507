import { consumerDeclarationOf, type ConsumerDeclaration } from './consumer-metadata.js';
import type { HostModule, InstanceWrapper } from './nest-containers.js';

/** A provider or controller, as far as one can know it without running any of its code. */
export interface Candidate {
  readonly module: HostModule;
  readonly wrapper: InstanceWrapper;
  /** The object, or where objects are made per message, what they inherit from; absent for a scoped factory. */
  readonly instance: object | undefined;
  /** Whether every message gets an object of its own: request-scoped, durable or transient, itself or by a dependency. */
  readonly perMessage: boolean;
  /** The class that Nest constructs; absent for factories and values. */
  readonly constructed: Class | undefined;
  /** The class that says what this is: the instance's, the registered one, or the token of a replaced provider. */
  readonly describing: Class | undefined;
  readonly declaration: ConsumerDeclaration | undefined;
  /** For messages: what it is and in which module. */
  readonly label: string;
}

/** Any class. */
export type Class = abstract new (...args: never[]) => object;

/** Looks at one provider; aliases are looked at where they point to. */
export function candidateOf(module: HostModule, wrapper: InstanceWrapper): Candidate | undefined {
  if (wrapper.isAlias) return undefined;
  const instance = asObject(wrapper.instance);
  const constructed = wrapper.isNotMetatype ? undefined : asClass(wrapper.metatype);
  const classes = [classOf(instance), constructed, asClass(wrapper.token)];
  const describing = classes.find((each) => each !== undefined && consumerDeclarationOf(each) !== undefined);
  const named = describing ?? constructed ?? classes[0];
  return {
    module,
    wrapper,
    instance,
    perMessage: !wrapper.isDependencyTreeStatic() || wrapper.isTransient,
    constructed,
    describing,
    declaration: describing && consumerDeclarationOf(describing),
    label: `${nameOf(wrapper, named)} in ${module.name}`,
  };
}

function nameOf(wrapper: InstanceWrapper, described: Class | undefined): string {
  const token = wrapper.token;
  if (typeof token === 'function' || (described && described !== Object))
    return (described ?? (token as Class)).name;
  return `the provider ${String(token)}`;
}

/** A proxy may throw on any question; then it is not a consumer. */
function classOf(instance: object | undefined): Class | undefined {
  if (instance === undefined) return undefined;
  try {
    return asClass(Reflect.get(Reflect.getPrototypeOf(instance) ?? {}, 'constructor'));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}

function asClass(value: unknown): Class | undefined {
  return typeof value === 'function' ? (value as Class) : undefined;
}
